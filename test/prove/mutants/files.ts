import type { Mutant } from './mutant.ts';

export const files: readonly Mutant[] = [
  {
    file: 'files/whole-file.ts',
    find: 'const temporary = temporaryName(path);\n  const file',
    replace: 'const temporary = path;\n  const file',
    rule: 'a file appears under its name whole or not at all',
    test: 'test/files/whole-file.test.ts',
  },
  {
    file: 'files/whole-file.ts',
    find: '    return false;\n  } finally {\n    await',
    replace: '    return true;\n  } finally {\n    await',
    rule: 'of two that write a file once the second learns that it was not the first',
    test: 'test/files/whole-file.test.ts',
  },
  {
    file: 'files/whole-file.ts',
    find: 'if (bytesWritten < bytes) await file.writeFile(Buffer.concat(parts).subarray(bytesWritten));',
    replace: '',
    rule: 'a writing that the disk stops early goes on, and says so',
    test: 'test/files/whole-file.test.ts',
  },
  {
    file: 'files/make-folder.ts',
    find: 'await makeFolder(dirname(path));',
    replace: 'return void (await mkdir(path, { recursive: true }));',
    rule: 'a disk that can only be read is reported as that where a folder is made',
    test: 'test/files/make-folder.test.ts',
  },
  {
    file: 'files/file-facts.ts',
    find: '    signal?.throwIfAborted();\n',
    replace: '',
    rule: 'bytes that nobody waits for are not read',
    test: 'test/files/file-facts.test.ts',
  },
];
