/** One plausible bug: a rule of the product broken in one place, and the tests that must see it. */
export type Mutant = {
  /** Path from the root. */
  file: string;
  /** Text that stands exactly once in the file. */
  find: string;
  replace: string;
  /** The rule that is broken, as a sentence about the product. */
  rule: string;
  /** Test files that must catch it: paths from the root. */
  test: string | readonly string[];
  /** Pattern of the titles that are run first: keeps a mutant of a long test file cheap. */
  title?: string;
};

export const testsOf = ({ test }: Mutant): readonly string[] => (typeof test === 'string' ? [test] : test);

/** How often a text stands in another. */
export const occurrences = (text: string, find: string): number => text.split(find).length - 1;

/** The file with the bug in it; fails where the text to replace is gone, or stands there more than once. */
export function mutated(text: string, { file, find, replace }: Mutant): string {
  const found = occurrences(text, find);
  if (found !== 1) throw new Error(`stale: \`${find}\` stands ${found} times in ${file}: bring the row up to the code`);
  return text.replace(find, () => replace);
}
