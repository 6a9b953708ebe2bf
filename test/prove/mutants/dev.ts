import type { Mutant } from './mutant.ts';

export const dev: readonly Mutant[] = [
  {
    file: 'dev/supervisor.ts',
    find: '  await stepFiles(config);\n',
    replace: '',
    rule: 'a broken configuration is said before anything is started',
    test: 'test/dev/supervisor.test.ts',
    title: 'is said before anything is started',
  },
  {
    file: 'dev/kept.ts',
    find: 'waitMs = Math.min(waitMs * 2, backoff.lastMs);',
    replace: 'waitMs = waitMs * 2;',
    rule: 'a process that dies again and again is started at least every 5 s',
    test: 'test/dev/kept.test.ts',
    title: 'one that dies again and again',
  },
  {
    file: 'dev/kept.ts',
    find: 'Date.now() - startedAt > backoff.calmMs',
    replace: 'false',
    rule: 'a process that ran calmly for 10 s is started at once when it dies',
    test: 'test/dev/kept.test.ts',
    title: 'one that dies again and again',
  },
  {
    file: 'dev/lock.ts',
    find: "database.exec('BEGIN EXCLUSIVE');",
    replace: '',
    rule: 'one portolan dev at a time runs in a folder',
    test: 'test/dev/supervisor.test.ts',
    title: 'dev starts, says where everything is',
  },
  {
    file: 'dev/watch-files.ts',
    find: 'if (closed || now === last) return;',
    replace: 'if (closed) return;',
    rule: 'the worker is started anew only when a file has changed',
    test: 'test/dev/watch-files.test.ts',
    title: 'many writes at once',
  },
  {
    file: 'dev/ports.ts',
    find: 'const kept = preferred === undefined ? undefined : await untilFree(preferred, waitMs);',
    replace: 'const kept = undefined;',
    rule: 'links stay good: the port of the last start is taken again',
    test: 'test/dev/ports.test.ts',
  },
  {
    file: 'dev/detach.ts',
    find: "const kept = new Set(['temporal', 'dev.lock']);",
    replace: "const kept = new Set(['dev.lock']);",
    rule: 'the fetched Temporal server stays when dev is reset',
    test: 'test/dev/supervisor.test.ts',
    title: 'is stopped and reset',
  },
];
