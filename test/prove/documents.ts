import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ParsedDocument } from '../../contracts/parsed-document.ts';
import type { ParseOptions } from '../../child/documents.ts';
import { createDocuments } from '../../child/host/create-documents.ts';
import { BadInput } from '../../errors/classes.ts';
import { line, type Line, type Proof } from './proof.ts';
import { corpusFiles, type CorpusFile } from './support-corpus.ts';
import { knownPages } from './support-known-pages.ts';
import { found, popplerWords, renderedByPoppler, wordsOf } from './support-recall.ts';

/** Words from which on a PDF counts as one of text: the others are tests of forms, fonts and damage with a word or two. */
const leastWords = 50;

/** Pictures of pages are recognised for so many files of text, spread over the corpus. */
const recognisedFiles = 12;

type Read = { file: CorpusFile; end: string; words: string[] };

/** Reads a file in a mode; the verdict where there is one. */
async function readAs(
  documents: ReturnType<typeof createDocuments>,
  file: CorpusFile,
  { mode, language = 'en' }: Pick<ParseOptions, 'mode'> & Partial<Pick<ParseOptions, 'language'>>,
  folder: string,
): Promise<Read> {
  const into = join(folder, `${basename(file.path)}.json`);
  const options = { mode, language, tableSummary: false, figureSummary: false, summaryWords: 100 } as const;
  try {
    await documents.parse({ file: file.path, into, options });
    const { chunks } = JSON.parse(await readFile(into, 'utf8')) as ParsedDocument;
    return { file, end: 'read', words: wordsOf(chunks.map(({ content }) => content).join('\n')) };
  } catch (error) {
    return { file, end: error instanceof BadInput ? error.verdict : `error: ${String(error)}`, words: [] };
  } finally {
    await rm(into, { force: true });
  }
}

const share = (part: number, of: number): number => (of === 0 ? 0 : part / of);

/** Recall of words over files, each compared with poppler. */
async function recall(reads: readonly Read[], least: number): Promise<{ files: Read[]; words: number; share: number; refused: number }> {
  const files: Read[] = [];
  let [words, hit, refused] = [0, 0, 0];
  for (const read of reads) {
    const expected = await popplerWords(read.file.path);
    if (!expected) refused += 1;
    if (!expected || expected.length < least || read.end !== 'read') continue;
    files.push(read);
    words += expected.length;
    hit += found(expected, read.words);
  }
  return { files, words, share: share(hit, words), refused };
}

/** Pages whose words are known, rendered by another program, read as pictures: found words and all, by language, and what one page has of the next. */
async function recognised(documents: ReturnType<typeof createDocuments>, folder: string, short: boolean) {
  const pages = knownPages().filter((_, at) => !short || at % 6 === 0);
  const read: { language: string; expected: string[]; words: string[] }[] = [];
  for (const [at, { language, words, pdf }] of pages.entries()) {
    const path = await renderedByPoppler(pdf, join(folder, `page-${at}`));
    const asked = language === 'English' || language === 'tables' ? 'en' : 'latin';
    const file = { family: 'page', path, origin: language };
    read.push({
      language,
      expected: wordsOf(words),
      words: (await readAs(documents, file, { mode: 'ocr', language: asked }, folder)).words,
    });
  }
  const of = (some: typeof read): { hit: number; all: number } => ({
    hit: some.reduce((sum, { expected, words }) => sum + found(expected, words), 0),
    all: some.reduce((sum, { expected }) => sum + expected.length, 0),
  });
  const languages = Object.entries(Object.groupBy(read, ({ language }) => language)).map(([language, some = []]) => ({
    language,
    ...of(some),
  }));
  const others = read.map(({ expected }, at) => share(found(expected, read[(at + 1) % read.length]!.words), expected.length));
  return {
    pages: pages.length,
    ...of(read),
    languages,
    control: share(
      others.reduce((sum, each) => sum + each, 0),
      others.length,
    ),
  };
}

const spread = <T>(items: readonly T[], count: number): T[] =>
  items.filter((_, at) => at % Math.max(1, Math.floor(items.length / count)) === 0).slice(0, count);

export const proof: Proof = {
  name: 'documents',
  sets: ['maps'],
  what: 'every PDF of the corpus has a fate, and its words are those that poppler finds; words recognised in pictures of pages against those of their files',
  async run({ note, short }): Promise<Line[]> {
    const pdfs = (await corpusFiles()).filter(({ family }) => family === 'pdf');
    const chosen = short ? spread(pdfs, 30) : pdfs;
    const folder = await mkdtemp(join(tmpdir(), 'portolan-documents-'));
    const documents = createDocuments();
    try {
      const reads: Read[] = [];
      for (const file of chosen) {
        reads.push(await readAs(documents, file, { mode: 'metadata' }, folder));
        if (reads.length % 50 === 0) note(`${reads.length} of ${chosen.length} files`);
      }
      const ends = Object.entries(Object.groupBy(reads, ({ end }) => end)).map(([end, of = []]) => `${end} ${of.length}`);
      const errors = reads.filter(({ end }) => end.startsWith('error'));
      const text = await recall(reads, leastWords);
      const all = await recall(reads, 1);
      const pictured: Read[] = [];
      for (const { file } of spread(text.files, recognisedFiles)) pictured.push(await readAs(documents, file, { mode: 'ocr' }, folder));
      // Against what the files themselves say: poppler reads notes and forms too, which are no letters on the page.
      const own = new Map(reads.map((read) => [read.file, read.words]));
      const seen = pictured.reduce((sum, { file, words }) => sum + found(own.get(file)!, words), 0);
      const there = pictured.reduce((sum, { file }) => sum + own.get(file)!.length, 0);
      const known = await recognised(documents, folder, short);
      // The control: the words of one file are not those of the next.
      const control = pictured.map(({ words }, at) =>
        share(
          found(own.get(pictured[(at + 1) % pictured.length]!.file)!, words),
          own.get(pictured[(at + 1) % pictured.length]!.file)!.length,
        ),
      );
      return [
        line('PDF files tried', chosen.length, short ? '> 0' : '≥ 300', chosen.length >= (short ? 1 : 300)),
        line('how they ended', ends.join(', '), 'a document or a verdict', errors.length === 0),
        line(
          `recall of words, files of ${leastWords} words and more`,
          `${text.share.toFixed(4)} of ${text.words} words in ${text.files.length} files`,
          '≥ 0.98',
          text.share >= 0.98,
        ),
        line(
          'recall of words, all files that poppler reads',
          `${all.share.toFixed(4)} of ${all.words} words in ${all.files.length} files; poppler gave up ${all.refused}`,
          '',
          true,
        ),
        line(
          `words recognised in ${known.pages} clean renderings of 200 dpi, whose text is known`,
          `${share(known.hit, known.all).toFixed(4)} of ${known.all}: ${known.languages.map(({ language, hit, all: of }) => `${language} ${share(hit, of).toFixed(3)}`).join(', ')}`,
          '≥ 0.9, in each language',
          known.languages.every(({ hit, all: of }) => share(hit, of) >= 0.9),
        ),
        line('control: words of one such page in another', known.control.toFixed(4), '< 0.9', known.control < 0.9),
        line(
          'words recognised in pages of any PDF of the corpus',
          `${share(seen, there).toFixed(4)} of ${there} words in ${pictured.length} files: fonts, sizes and scripts as they come`,
          '',
          true,
        ),
        line(
          'control: words of one file among those of another',
          Math.max(0, ...control).toFixed(4),
          '< 0.9',
          Math.max(0, ...control) < 0.9,
        ),
      ];
    } finally {
      await documents.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
