import type { Mutant } from './mutant.ts';

const many = 'test/system/many-runs.test.ts';
const sets = { file: 'cli/start/param-sets.ts', test: 'test/cli/param-sets.test.ts' } as const;

/** Many runs from one command or one program. */
export const manyRuns: readonly Mutant[] = [
  {
    ...sets,
    find: 'return [{ line: index + 1, values }];',
    replace: 'return [{ line: index, values }];',
    rule: 'the lines of a parameter file are counted from 1',
  },
  { ...sets, find: "if (content.trim() === '') return [];", replace: '', rule: 'empty lines of a parameter file are left out' },
  { ...sets, find: ' && !Array.isArray(value)', replace: '', rule: 'a list is no set of parameters' },
  { ...sets, find: 'if (sets.length === 0) throw', replace: 'if (false) throw', rule: 'a parameter file without a set is refused' },
  {
    file: 'cli/start/launch-many.ts',
    find: '  if (worse !== exit.interrupted) return worse;',
    replace: '  return worse;',
    rule: 'a command that is interrupted while it waits for several runs says how many go on',
    test: 'test/system/many-runs.test.ts',
    title: 'waits for several runs ends so too',
  },
  {
    file: 'cli/start/launch-many.ts',
    find: '.find((code) => codes.includes(code)) ?? exit.done;',
    replace: '.findLast((code) => codes.includes(code)) ?? exit.done;',
    rule: 'the exit code of many runs is that of the worst',
    test: many,
    title: 'the exit code is that of the worst line',
  },
  {
    file: 'cli/start/launch-many.ts',
    find: 'return { set, refused };',
    replace: 'throw error;',
    rule: 'a set that cannot be started does not stop the others',
    test: many,
    title: 'a line whose dataset is held',
  },
  {
    file: 'cli/start/launch-many.ts',
    find: '? [exit.failed] : [];',
    replace: '? [exit.done] : [];',
    rule: 'a set that was not started fails the command',
    test: many,
    title: 'a line whose dataset is held',
  },
  {
    file: 'cli/start/compile-file.ts',
    find: '    ...open.params,\n    ...values,\n',
    replace: '    ...values,\n    ...open.params,\n',
    rule: 'the line of a parameter file goes before the command line',
    test: many,
    title: 'a run for each line of a file',
  },
  {
    file: 'runs/end.ts',
    find: 'heard.aborted ? listener() : addEventListener',
    replace: 'addEventListener',
    rule: 'a wait for a run is given up also between two questions to the server',
    test: 'test/system/open-project.test.ts',
    title: 'gives up its wait',
  },
  {
    file: 'cli/start/open-project.ts',
    find: '      await check(compiled.reached);\n',
    replace: '',
    rule: 'a program that starts a run with a wrong key hears of it at once',
    test: 'test/system/open-project.test.ts',
    title: 'with a wrong key hears of it',
  },
  {
    file: 'cli/start/open-project.ts',
    find: 'known.catch(() => checked.delete(key));',
    replace: 'known.catch(() => undefined);',
    rule: 'a service that was away is asked again at the next start of a program',
    test: 'test/system/open-project.test.ts',
    title: 'is asked again at the next start',
  },
  {
    file: 'cli/start/open-project.ts',
    find: '...(view.outputs ? { outputs: await withValues(view.outputs) } : {})',
    replace: '...(view.outputs ? { outputs: view.outputs } : {})',
    rule: 'a program gets the values of large outputs, not references',
    test: 'test/system/open-project.test.ts',
    title: 'gets the values of large outputs',
  },
  {
    file: 'cli/start/check-connections.ts',
    find: 'if (!(error instanceof NetworkError)) return error;',
    replace: 'return error;',
    rule: 'a service that restarts is asked again before a run is refused',
    test: 'test/cli/check-connections.test.ts',
  },
  {
    file: 'cli/start/connection-problem.ts',
    find: 'error instanceof ApiError && error.status === 401',
    replace: 'error instanceof ApiError && error.status < 500',
    rule: 'a scope that a key lacks for the look stops no run',
    test: 'test/cli/check-connections.test.ts',
  },
];
