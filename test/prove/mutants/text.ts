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
    file: 'text/byte-order-mark.ts',
    find: "text.startsWith('\\uFEFF') ? text.slice(1) : text",
    replace: 'text',
    rule: 'a byte order mark before input or parameters is read over',
    test: ['test/cli/call.test.ts', 'test/cli/param-sets.test.ts'],
    title: 'a byte order mark',
  },
  {
    file: 'text/nearest.ts',
    find: 'best = Math.min(best, before[column - 2]! + 1);',
    replace: 'best = Math.min(best, before[column - 2]! + 2);',
    rule: 'a swap of neighbours is one edit',
    test: 'test/pipelines/compile.test.ts',
  },
  {
    file: 'text/duration.ts',
    find: '[1-9]\\d*[smhd]',
    replace: '\\d*[smhd]',
    rule: 'a duration is a whole number from 1 with its unit',
    test: 'test/pipelines/duration.test.ts',
  },
  {
    file: 'text/duration.ts',
    find: 'h: 3_600_000',
    replace: 'h: 60_000',
    rule: 'an hour has sixty minutes',
    test: 'test/pipelines/duration.test.ts',
  },
  {
    file: 'text/utc-time.ts',
    find: ' || new Date(midnight).toISOString().slice(0, 10) !== day',
    replace: '',
    rule: 'a day that its month does not have is no time',
    test: 'test/text/utc-time.test.ts',
  },
  {
    file: 'text/utc-time.ts',
    find: "zone = 'Z'",
    replace: "zone = ''",
    rule: 'a time without a zone is UTC, whatever the zone of the process',
    test: 'test/pipelines/loop-over.test.ts',
  },
  {
    file: 'pipelines/share.ts',
    find: ' * (1 + 1e-14)',
    replace: '',
    rule: '29 of 100 are 29 %',
    test: 'test/pipelines/share.test.ts',
  },
  {
    file: 'text/mark.ts',
    find: '((number % 1_000_000n) + 1_000_000n) % 1_000_000n',
    replace: 'number % 1_000_000n',
    rule: 'a mark of a time before 1970 is that time',
    test: 'test/text/mark.test.ts',
    title: 'a mark is the number that it was made of',
  },
];
