/** The comments around a part of a page that is written by `npm run generate`. */
const marks = (from: string): [begin: string, end: string] => [
  `<!-- Written by scripts/generate.ts from ${from}: edit there, then \`npm run generate\`. -->\n\n`,
  '\n<!-- end -->',
];

/** The page with the part that is written from a source as it is to be. Fails where its two comments are missing. */
export const between = (page: string, from: string, part: string): string => {
  const [begin, end] = marks(from);
  const start = page.indexOf(begin);
  const stop = page.indexOf(end, start);
  if (start < 0 || stop < 0) throw new Error(`no place for what is written from ${from}: put its two comments back`);
  return page.slice(0, start + begin.length) + part + page.slice(stop);
};
