import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/sources.mjs';
import { mutated, testsOf } from './mutant.ts';
import { mutants } from './table.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

test('the text that a mutant replaces stands once in its file', () => {
  const stale = mutants.flatMap((mutant) => {
    if (!existsSync(join(root, mutant.file))) return [`stale: there is no ${mutant.file}: ${mutant.rule}`];
    try {
      mutated(read(mutant.file), mutant);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  expect(stale).toEqual([]);
});

test('a mutant changes something', () => {
  expect(mutants.filter(({ find, replace }) => find === replace)).toEqual([]);
});

test('a mutant names test files that are there, and titles that stand in them', () => {
  const missing = mutants.flatMap((mutant) => {
    const files = testsOf(mutant);
    const gone = files.filter((file) => !existsSync(join(root, file)));
    if (gone.length > 0) return gone.map((file) => `${mutant.rule}: there is no ${file}`);
    const { title } = mutant;
    return title === undefined || files.some((file) => new RegExp(title).test(read(file))) ? [] : [`${mutant.rule}: no title ${title}`];
  });
  expect(missing).toEqual([]);
});

test('no rule is broken by two rows in the same words', () => {
  const rules = mutants.map(({ rule }) => rule);
  expect(rules.filter((rule, at) => rules.indexOf(rule) !== at)).toEqual([]);
});
