import type { Mutant } from './mutant.ts';

export const files: readonly Mutant[] = [
  {
    file: 'files/whole-file.ts',
    find: 'const temporary = temporaryName(path);',
    replace: 'const temporary = path;',
    rule: 'a file appears under its name whole or not at all',
    test: 'test/files/whole-file.test.ts',
  },
];
