import { nearest } from '../../text/nearest.ts';
import { comprehensions, functions, methods } from './functions.ts';

/** Words and signs of other languages, and what they are here. */
const rewrites: readonly (readonly [RegExp, string])[] = [
  [/[“”]/g, '"'],
  [/[‘’]/g, "'"],
  [/^\s*=/, ''],
  [/;\s*$/, ' '],
  [/,\s*$/, ' '],
  [/^\s*\{([^:]*)\}\s*$/, ' $1 '],
  [/\|\s*(upper|lower|trim)\s*$/, '.$1() '],
  [/\band\b/gi, '&&'],
  [/\bor\b/gi, '||'],
  [/\bnot\s+(?!in\b)/gi, '!'],
  [/!==/g, '!='],
  [/===/g, '=='],
  [/<>/g, '!='],
  [/(?<![=!<>])=(?!=)/g, '=='],
  [/(?<!&)&(?!&)/g, '&&'],
  [/\bTrue\b|\bTRUE\b/g, 'true'],
  [/\bFalse\b|\bFALSE\b/g, 'false'],
  [/\b(None|nil|undefined|NULL|Null)\b/g, 'null'],
  [/\b(len|length|count)\(/g, 'size('],
  [/\b(str|text|to_string|toString|String)\(/g, 'string('],
  [/\b(float|number|Number)\(/g, 'double('],
  [/\b(parseInt|integer|toInt)\(/g, 'int('],
  [/\s+\.(?=\w)/g, '.'],
  [/(?<=[\w\])])\.(\d+)\b/g, '[$1]'],
  [/(\w+)\s*=>\s*/g, '$1, '],
  [/\.(map|filter|all|exists|exists_one)\((\w+)\./g, '.$1($2, $2.'],
  [/\.(toUpperCase|toUpper|upper|uppercase|upcase)\(/g, '.upperAscii('],
  [/\.(toLowerCase|toLower|lower|lowercase|downcase)\(/g, '.lowerAscii('],
  [/\.(includes|has)\(/g, '.contains('],
  [/\.(startswith|starts_with|hasPrefix)\(/g, '.startsWith('],
  [/\.(endswith|ends_with|hasSuffix)\(/g, '.endsWith('],
  [/\.(strip|trimmed)\(/g, '.trim('],
  [/\.(some|any)\(/g, '.exists('],
  [/\.(every)\(/g, '.all('],
  [/\.(length|len|count)\(\)/g, '.size()'],
  [/\.length\b(?!\()/g, '.size()'],
];

/** Parts in quotes stay as they are. */
export const outsideTexts = (code: string, change: (part: string) => string): string =>
  code
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

const respelt = (code: string): string =>
  code
    .replaceAll(/\.(\w+)\(/g, (call, name: string) => {
      const all = [...Object.keys(methods), ...Object.keys(comprehensions)];
      return all.includes(name) ? call : `.${nearest(name, all) ?? name}(`;
    })
    .replaceAll(/(?<![.\w])(\w+)\(/g, (call, name: string) =>
      Object.hasOwn(functions, name) ? call : `${nearest(name, Object.keys(functions)) ?? name}(`,
    );

/** Closing marks at the end, and a quote before one of them. */
function* closed(code: string): Generator<string> {
  for (const mark of [')', ']', '}', ' }', '))', '")', "')", '"', "'"]) yield `${code.trimEnd()}${mark} `;
  for (const quote of ['"', "'"])
    if ((code.split(quote).length - 1) % 2 === 1)
      for (let at = code.length - 1; at > 0; at--) yield code.slice(0, at) + quote + code.slice(at);
}

/** An expression that was most likely meant by a wrong one: the first that `isRight`; undefined where there is none. */
export function meantCode(code: string, isRight: (code: string) => boolean): string | undefined {
  let rewritten = code;
  for (const [pattern, by] of rewrites) {
    const next = outsideTexts(rewritten, (part) => part.replaceAll(new RegExp(pattern, pattern.flags.replace('g', '') + 'g'), by));
    if (next === rewritten) continue;
    rewritten = next;
    if (isRight(rewritten)) return rewritten;
  }
  const spelt = outsideTexts(rewritten, respelt);
  if (spelt !== code && isRight(spelt)) return spelt;
  for (const candidate of closed(spelt)) if (isRight(candidate)) return candidate;
  return undefined;
}
