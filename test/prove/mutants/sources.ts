import type { Mutant } from './mutant.ts';

const packed = 'test/child/packed.test.ts';
const initFrom = 'test/cli/init-from.test.ts';
const csv = 'test/child/csv.test.ts';

export const sources: readonly Mutant[] = [
  {
    file: 'child/inside/packed/unpack.ts',
    find: 'const fits = unpacked.bytes <= unpacked.tempGiB * 1024 ** 3;',
    replace: 'const fits = true;',
    rule: 'a packed file is unpacked no further than the temporary files of a request may be',
    test: 'test/child/bombs.test.ts',
    title: 'a packed file',
  },
  {
    file: 'child/inside/packed/unpack.ts',
    find: 'parts: ({ fd }) => zstdFrames(fd),',
    replace: 'parts: () => whole,',
    rule: 'no frame of a zstd file is lost',
    test: packed,
    title: 'several frames',
  },
  {
    file: 'child/inside/packed/unpack.ts',
    find: 'if (claimed && !seen)',
    replace: 'if (false)',
    rule: 'a file that is not packed as its name says is refused by that',
    test: packed,
    title: 'something else',
  },
  {
    file: 'child/inside/packed/plain-file.ts',
    find: '`${own}: ${error.message}`',
    replace: '`${basename(plain.path)}: ${error.message}`',
    rule: 'a packed file in another encoding is refused by its own name',
    test: packed,
    title: 'in another encoding',
  },
  {
    file: 'child/inside/source.ts',
    find: '    await rm(folder, { recursive: true, force: true });',
    replace: '',
    rule: 'what a request has unpacked does not stay on the disk',
    test: packed,
    title: 'is gone after the request',
  },
  {
    file: 'child/inside/file-column.ts',
    find: 'if (names.has(column.toLowerCase())) throw',
    replace: 'if (false) throw',
    rule: 'a column for the name of the file hides none of the files',
    test: 'test/child/sources.test.ts',
    title: 'a column with the name',
  },
  {
    file: 'child/inside/formats/csv/source.ts',
    find: '      group.map(({ file }) => file),',
    replace: '      sniffed.map(({ file }) => file),',
    rule: 'the name of a row’s file is that of its file, whichever dialect the files have',
    test: csv,
    title: 'each of many files has its own dialect',
  },
  {
    file: 'child/inside/formats/said-types.ts',
    find: '  if (first) return;',
    replace: '  return;',
    rule: 'a column that is not what it is said to be is refused with its row',
    test: csv,
    title: 'what a column is said to be',
  },
  {
    file: 'child/inside/formats/csv/dialect.ts',
    find: "nullstr = [${['', ...nulls].map(literal).join(', ')}]",
    replace: "nullstr = ['']",
    rule: 'texts that stand for no value are none',
    test: csv,
    title: 'under',
  },
  {
    file: 'cli/first-pipeline/guess.ts',
    find: 'nulls === 0 && facts.distinct === found.rows && ',
    replace: '',
    rule: 'the id of a first pipeline is a column that differs in every row',
    test: initFrom,
    title: 'without a key',
  },
  {
    file: 'cli/first-pipeline/guess.ts',
    find: ' && facts.letters >= facts.length * leastLetters',
    replace: '',
    rule: 'dates and numbers are no text to embed',
    test: initFrom,
    title: 'are guessed, and said',
  },
  {
    file: 'cli/first-pipeline/write.ts',
    find: "text.replaceAll('${{', () => '$${{')",
    replace: 'text',
    rule: 'what a file calls its columns is no expression of its first pipeline',
    test: initFrom,
    title: 'what preview takes',
  },
];
