import { expect, test } from 'vitest';
import { mutated, type Mutant } from './mutant.ts';
import { problemsIn } from './problems.ts';
import { mutants } from './table.ts';

test('every mutant replaces a text that stands once in its file, and names tests that are there', () => {
  expect(problemsIn(mutants)).toEqual([]);
});

const row: Mutant = {
  file: 'text/nearest.ts',
  find: 'let before: number[] = [];',
  replace: '',
  rule: 'a rule',
  test: 'test/pipelines/compile.test.ts',
};

test.each<[string, Partial<Mutant>, RegExp]>([
  ['its text is gone', { find: 'nowhere' }, /stale: `nowhere` stands 0 times in text\/nearest\.ts/],
  ['its text stands twice', { find: 'const' }, /stale: `const` stands \d+ times/],
  ['its file is gone', { file: 'text/gone.ts' }, /there is no text\/gone\.ts/],
  ['its test is gone', { test: ['test/pipelines/compile.test.ts', 'test/gone.test.ts'] }, /there is no test\/gone\.test\.ts/],
  ['its title is gone', { title: 'no such title' }, /no test has the title no such title/],
  ['it changes nothing', { replace: row.find }, /it changes nothing/],
])('a row is reported where %s', (_, change, problem) => {
  expect(problemsIn([row])).toEqual([]);
  expect(problemsIn([{ ...row, ...change }])).toEqual([expect.stringMatching(problem)]);
});

test('two rows do not say the same', () => {
  expect(problemsIn([row, row])).toHaveLength(1);
});

test('a mutant is put in as it stands, whatever signs it holds', () => {
  expect(mutated('a + b', { ...row, find: '+', replace: "$& $' $1" })).toBe("a $& $' $1 b");
});
