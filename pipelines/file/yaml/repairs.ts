import { quoted } from './write.ts';

/** A line of a text that cannot be read, with the lines beside it that hold something; `around`: indentations of what it may stand in. */
export type BrokenLine = { line: string; above: string | undefined; below: string | undefined; around: readonly string[] };

/**
 * What may be wrong with one line: what it is called, and how the line may have been meant, the likeliest first. `far`: what it
 * breaks may show only far below.
 */
export type Repair = { message: string; far?: true; lines: (broken: BrokenLine) => string[] };

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0];

/** A line in block style: indentation with dashes, name, colon, value, comment. */
const parts = (line: string): { before: string; value: string; comment: string } | undefined => {
  const [, before, value, comment = ''] = /^(\s*(?:- +)*(?:[\w.-]+|"[^"]*") *:\s+|\s*- +)(.*?)(\s+#.*|\s*)$/.exec(line) ?? [];
  return before === undefined || value === undefined || value === '' ? undefined : { before, value, comment };
};

const withValue = (line: string, change: (value: string) => string | undefined): string[] => {
  const found = parts(line);
  const value = found && change(found.value);
  return found === undefined || value === undefined ? [] : [`${found.before}${value}${found.comment}`];
};

const replaced = (line: string, pattern: RegExp, by: string): string[] => (pattern.test(line) ? [line.replace(pattern, by)] : []);

/** A text whose quotes end in the middle of a word, without them; of `'a' || 'b'` each text has its own. */
const ofOne = (value: string): string => (/^(["']).*?\1\w/.test(value) ? value.replace(/^(["'])(.*)\1$/, '$2') : value);

/** Closing marks that a line lacks, innermost first. */
function closings(line: string): string {
  const open: string[] = [];
  let quote = '';
  for (const character of line) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '{' || character === '[') open.push(character === '{' ? '}' : ']');
    else if (character === open.at(-1)) open.pop();
  }
  return open.toReversed().join('');
}

const closed = (line: string): string => `${line}${closings(line).startsWith('}') && !line.endsWith('{') ? ' ' : ''}${closings(line)}`;

/** The same line at the indentation of its neighbours, or of what is around them. */
export const indented = ({ line, above, below, around }: BrokenLine): string[] => {
  const widths = [above, below].flatMap((other) => (other === undefined ? [] : [indentOf(other).replaceAll('\t', '  ')]));
  const deeper = above !== undefined && /:\s*(#.*)?$/.test(above) ? [`${indentOf(above)}  `] : [];
  return [...new Set([...deeper, ...widths, ...around])].filter((each) => each !== indentOf(line)).map((each) => each + line.trimStart());
};

/** By what a line may be wrong, the plainest first. */
export const repairs: readonly Repair[] = [
  { message: 'tabs cannot indent; use spaces', lines: (broken) => (indentOf(broken.line).includes('\t') ? indented(broken) : []) },
  {
    message: "a field has ':' behind its name, not '：'",
    lines: ({ line }) => replaced(line, /^(\s*(?:- +)?[A-Za-z]\w*)\s*：\s*/, '$1: '),
  },
  { message: "a ':' is followed by a blank", lines: ({ line }) => replaced(line, /^(\s*(?:- +)?[A-Za-z]\w*):(?=[^\s/])/, '$1: ') },
  {
    message: "a field and its value have ':' between them, not '='",
    lines: ({ line }) => replaced(line, /^(\s*(?:- +)?[A-Za-z]\w*) *:?= *(?=\S)/, '$1: '),
  },
  { message: "the '-' of a list is followed by a blank", lines: ({ line }) => replaced(line, /^(\s*)-(?=[^\s-])/, '$1- ') },
  {
    message: 'fields on one line stand in { }',
    lines: ({ line }) => [
      ...withValue(line, (value) => (/^[A-Za-z]\w*: [^{}[\]"']+(, [A-Za-z]\w*: [^{}[\]"']+)+$/.test(value) ? `{ ${value} }` : undefined)),
      ...(/^\s*(?:- )?(with|id|tolerate|where|columns|csv|input|tables|not|weights): /.test(line)
        ? withValue(line, (value) => (/^[A-Za-z]\w*: \S/.test(value) ? `{ ${value} }` : undefined))
        : []),
    ],
  },
  {
    message: 'quotes within an expression in quotes are of the other kind',
    lines: ({ line }) => {
      const other = (quote: string): string => (quote === '"' ? "'" : '"');
      const swapped = line.replaceAll(
        /(["'])((?:(?!\1)[^$])*\$\{\{.*?\}\}[^"']*)\1(?=\s*([,\]}#]|$))/g,
        (whole, quote: string, inner: string) =>
          inner.includes(other(quote)) ? whole : `${quote}${inner.replaceAll(quote, other(quote))}${quote}`,
      );
      return swapped === line ? [] : [swapped];
    },
  },
  {
    message: "a text with ': ' in it needs quotes",
    lines: ({ line }) => withValue(line, (value) => (/^[^"'[{|>&*!#].*:(\s|$)/.test(value) ? quoted(value) : undefined)),
  },
  {
    message: 'a text that begins so needs quotes',
    lines: ({ line }) =>
      withValue(line, (value) => {
        const inner = /^[@`%]([\w.-]+)[@`%]?$/.exec(value)?.[1];
        return inner ?? (/^[@`%*&!,|>\]}]|^\[[^\]]*\]\s*\w|^\{[^}]*\}\s*\w/.test(value) ? quoted(value) : undefined);
      }),
  },
  {
    message: 'a text that begins so needs quotes',
    lines: ({ line }) =>
      [...line.matchAll(/(?<=[{,] {0,9}[A-Za-z]\w{0,63}: {1,9})[*@`%&!|>](?:[^{}[\]"',]|,(?=\S)){0,200}?(?= {0,9}(?:, |\}))/g)].map(
        ({ 0: text, index }) => line.slice(0, index) + quoted(text) + line.slice(index + text.length),
      ),
  },
  {
    message: 'a quote is not closed',
    far: true,
    lines: ({ line }) =>
      withValue(line, (value) => {
        const mark = value[0]!;
        const marks = value.split(mark).length - 1;
        return /["']/.test(mark) && marks % 2 === 1 ? value + mark : undefined;
      }),
  },
  {
    message: 'a quote stands in the middle of a text; the whole of it needs quotes',
    lines: ({ line }) => withValue(line, (value) => (/^(["']).*\1\s*\S/.test(value) ? quoted(ofOne(value)) : undefined)),
  },
  { message: 'a bracket is not closed', far: true, lines: ({ line }) => (closings(line) === '' ? [] : [closed(line.trimEnd())]) },
  { message: 'a bracket is closed that was never opened', lines: ({ line }) => replaced(line, /\s*[}\]]\s*$/, '') },
  {
    message: 'between two fields or items in brackets stands a comma',
    lines: ({ line }) => {
      const gaps = [...line.matchAll(/(?<=[^,:{[\s]) +(?=(?:[A-Za-z]\w*|"[^"]*") *:\s|["'\w{[])/g)].map(({ index }) => index);
      return /[{[]/.test(line) ? gaps.map((at) => `${line.slice(0, at)},${line.slice(at)}`) : [];
    },
  },
  {
    message: "a step is a field of 'steps', not an item of a list",
    far: true,
    lines: ({ line }) => replaced(line, /^(\s*)- (?=[A-Za-z]\w*:\s*(#.*)?$)/, '$1'),
  },
  { message: 'a field among others is no item of a list', lines: ({ line }) => replaced(line, /^(\s*)- +(?=[A-Za-z]\w*:\s)/, '$1') },
  { message: "an item of a list begins with '-'", lines: ({ line }) => replaced(line, /^(\s*)[*+•] +(?=\S)/, '$1- ') },
  { message: "a field has a ':' behind its name", lines: ({ line }) => replaced(line, /^(\s*(?:- +)?[A-Za-z]\w*) +(?=\S)/, '$1: ') },
  { message: "a field has a ':' behind its name", lines: ({ line }) => replaced(line, /^(\s*(?:- +)?[A-Za-z]\w*)\s*$/, '$1:') },
];
