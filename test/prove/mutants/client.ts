import type { Mutant } from './mutant.ts';

export const client: readonly Mutant[] = [
  {
    file: 'client/classify.ts',
    find: 'const ms = Math.max(floorMs, asked ?? 0);',
    replace: 'const ms = asked ?? 0;',
    rule: 'a Retry-After of 0, of the past or of junk is no instant repeat',
    test: 'test/client/retry-after.test.ts',
  },
  {
    file: 'client/classify.ts',
    find: 'status < 300 && status !== 202',
    replace: 'status < 300',
    rule: 'a 202 with Retry-After is a wait',
    test: 'test/client/retry-after.test.ts',
  },
];
