import type { Mutant } from './mutant.ts';

export const files: readonly Mutant[] = [
  {
    file: 'files/whole-file.ts',
    find: 'const temporary = temporaryName(path);\n  const file',
    replace: 'const temporary = path;\n  const file',
    rule: 'a file appears under its name whole or not at all',
    test: 'test/files/whole-file.test.ts',
  },
];
