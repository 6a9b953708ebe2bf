/** A table row's cell must not end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A Markdown table; cells are Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |\n`).join('');

export const code = (text: string): string => `\`${text}\``;

/** First line of every page that `npm run generate` writes. */
export const generated = (from: string): string =>
  `<!-- Written by scripts/generate.ts from ${from}: edit there, then \`npm run generate\`. -->\n\n`;
