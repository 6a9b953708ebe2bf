import { closing } from '../../expressions/scan.ts';
import { quoteExpressions } from './quote.ts';
import { isReadable } from './compose.ts';
import type { Diagnosis } from './diagnose.ts';

/** An expression as other tools write it: `{{ params.x }}`, `${params.x}`, `$(params.x)`, `{params.x}`, `$params.x`, `<%= params.x %>`. */
const forms: readonly RegExp[] = [
  /(?<![${\w])(?:\$\s+)?\{\{-?\s*((?:params|steps|run)\.[^{}]*?)\s*-?\}\}/,
  /(?<!\$)\$\{\s*((?:params|steps|run)\.[^{}]*?)\s*\}(?!\})/,
  /(?<!\$)\$\(\s*((?:params|steps|run)\.[\w.]+)\s*\)/,
  /(?<![${\w%])%?\{\s*((?:params|steps|run)\.[\w.]+)\s*\}(?!\})/,
  /(?<![\w$])\$((?:params|steps)\.\w[\w.]*)/,
  /<%=?\s*((?:params|steps|run)\.[^%]*?)\s*%>/,
];

/** True where what follows is neither a comment nor a part of an expression. */
const isPlain = (before: string, line: string): boolean => {
  const open = before.lastIndexOf('${{');
  if (/(^|\s)#/.test(before)) return false;
  const end = open < 0 ? 0 : closing(line, open + 3);
  return end >= 0 && end <= before.length;
};

/** The first expression of a text that is written in another tool's way, with its line as it should be. */
export function foreignExpression(text: string): Diagnosis | undefined {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (/^\s*#/.test(line)) continue;
    const found = forms.map((form) => form.exec(line)).find((match) => match !== null && isPlain(line.slice(0, match.index), line));
    if (!found) continue;
    const before = line.slice(0, found.index);
    const after = line.slice(found.index + found[0].length).replace(/\r$/, '');
    const plain = `\${{ ${found[1]} }}`;
    const others = quoteExpressions(text).misread.length;
    const corrected = [plain, `"${plain}"`]
      .map((each) => before + each + after)
      .find((each) => {
        const whole = lines.with(index, each).join('\n');
        return isReadable(whole) && quoteExpressions(whole).misread.length <= others;
      });
    return {
      line: index + 1,
      column: found.index + 1,
      message: `an expression is written \${{ ${found[1]} }}, not ${found[0]}`,
      corrected: corrected ?? before + plain + after,
    };
  }
  return undefined;
}
