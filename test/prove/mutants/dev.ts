import type { Mutant } from './mutant.ts';

export const dev: readonly Mutant[] = [
  {
    file: 'dev/kept.ts',
    find: 'waitMs = Math.min(waitMs * 2, backoff.lastMs);',
    replace: 'waitMs = waitMs * 2;',
    rule: 'a process that dies again and again is started at least every 5 s',
    test: 'test/dev/kept.test.ts',
  },
  {
    file: 'dev/kept.ts',
    find: 'Date.now() - startedAt > backoff.calmMs',
    replace: 'false',
    rule: 'a process that ran calmly for 10 s is started at once when it dies',
    test: 'test/dev/kept.test.ts',
  },
];
