/** Texts as lines of JSON: any text is one line. */
export const toLines = (texts: Iterable<string>): string => [...texts].map((text) => `${JSON.stringify(text)}\n`).join('');

export const fromLines = (lines: string): string[] =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as string);
