import type { Mutant } from './mutant.ts';

export const text: readonly Mutant[] = [
  {
    file: 'text/canonical-json.ts',
    find: '.toSorted((a, b) => (a < b ? -1 : 1));',
    replace: '.slice();',
    rule: 'equal values have equal texts, whatever the order of their names',
    test: 'test/pipelines/compile.test.ts',
  },
  {
    file: 'text/nearest.ts',
    find: 'best = Math.min(best, before[column - 2]! + 1);',
    replace: 'best = Math.min(best, before[column - 2]! + 2);',
    rule: 'a swap of neighbours is one edit',
    test: 'test/pipelines/compile.test.ts',
  },
];
