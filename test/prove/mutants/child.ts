import type { Mutant } from './mutant.ts';

const unchanged = 'test/child/unchanged.test.ts';

export const child: readonly Mutant[] = [
  {
    file: 'child/inside/file-print.ts',
    find: 'now?.bytes !== bytes || now.mtimeMs !== mtimeMs || now.ino !== ino',
    replace: 'now?.bytes !== bytes || now.ino !== ino',
    rule: 'a file that is written again while it is read is refused, though it is as long as before',
    test: unchanged,
  },
  {
    file: 'child/inside/file-print.ts',
    find: ' || now.ino !== ino',
    replace: '',
    rule: 'a file that is replaced while it is read is refused',
    test: unchanged,
  },
  {
    file: 'child/inside/source.ts',
    find: '    await check();\n    return result;',
    replace: '    return result;',
    rule: 'what was read of a file that changed meanwhile is no result',
    test: unchanged,
  },
  {
    file: 'child/inside/source.ts',
    find: '    await check();\n    throw error;',
    replace: '    throw error;',
    rule: 'what goes wrong with a file that changes is not called its fault',
    test: unchanged,
  },
  {
    file: 'activities/dataset/append.ts',
    find: '    refuseChanged(context, input.source, { ...result.source, rows: result.rows });\n',
    replace: '',
    rule: 'append sends no row of a source that is not the one that was inspected',
    test: 'test/system/changed-source.test.ts',
  },
  {
    file: 'activities/sources/check-unchanged.ts',
    find: 'if (read.rows !== then.rows)',
    replace: 'if (read.rows > then.rows)',
    rule: 'a source of which fewer rows are read than were planned is refused',
    test: unchanged,
  },
];
