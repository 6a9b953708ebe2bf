import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import sharp from 'sharp';
import { openPdf } from '../../child/inside/documents/pdf/open.ts';
import { render } from '../../child/inside/documents/pdf/render.ts';
import { docxOf, paragraph, picture, table } from '../service/docx-writer.ts';
import { pdfOf } from '../service/pdf-writer.ts';
import { corpusFiles } from './support-corpus.ts';
import { knownPages, prose } from './support-known-pages.ts';

export type MadeDocument = { name: string; bytes: string | Uint8Array };

const languages = Object.keys(prose);

/** What a person has scanned: a page as pixels. */
const pixels = async (pdf: Buffer): Promise<Buffer> =>
  (await render(await (await openPdf(pdf)).getPage(1))).part({ left: 0, top: 0, right: 612, bottom: 792 });

const scan = async (pdf: Buffer): Promise<Buffer> => {
  const jpeg = await sharp(await pixels(pdf))
    .resize(1_275, 1_650)
    .grayscale()
    .jpeg({ quality: 85 })
    .toBuffer();
  return pdfOf([[]], { picture: { jpeg, wide: 1_275, high: 1_650, x: 0, y: 0, width: 612, height: 792 } });
};

const rows = (at: number): string[][] => [
  ['Item', 'Count', 'Price'],
  ...[1, 2, 3].map((row) => [`thing ${at}-${row}`, String(at * row), `${row}.50`]),
];

/** A text set on a page, line by line. */
const lines = (text: string): { x: number; y: number; text: string }[] =>
  text.match(/.{1,72}(\s|$)/g)!.map((line, at) => ({ x: 72, y: 720 - at * 18, text: line.trim().replaceAll('’', "'") }));

/** A document of each kind, by its ending; no two have the same words. */
const kinds: readonly { ending: string; make: (at: number, text: string) => MadeDocument['bytes'] | Promise<MadeDocument['bytes']> }[] = [
  {
    ending: 'md',
    make: (at, text) =>
      `# Report ${at}\n\n${text}\n\n## Prices\n\n${rows(at)
        .map((row) => `| ${row.join(' | ')} |`)
        .join('\n')
        .replace('\n', '\n| --- | --- | --- |\n')}\n`,
  },
  { ending: 'txt', make: (at, text) => `Report ${at}\n\n${text}\n` },
  {
    ending: 'html',
    make: (at, text) =>
      `<!doctype html><title>Report ${at}</title><h1>Report ${at}</h1><p>${text}</p><table>${rows(at)
        .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
        .join('')}</table>`,
  },
  {
    ending: 'docx',
    make: (at, text) =>
      docxOf({
        body: [
          paragraph(`Report ${at}`, { style: 'Title' }),
          paragraph(text),
          table(rows(at)),
          paragraph(picture(`a plan of report ${at}`)),
        ].join(''),
      }),
  },
  {
    ending: 'pdf',
    make: (at, text) =>
      pdfOf([
        [
          { x: 72, y: 720, size: 18, text: `Report ${at}` },
          { x: 72, y: 680, size: 10, text: text.slice(0, 90).replaceAll('’', "'") },
        ],
        rows(at).flatMap((row, line) => row.map((cell, column) => ({ x: 72 + column * 120, y: 700 - line * 20, text: cell }))),
      ]),
  },
  { ending: 'latin1.txt', make: (at, text) => Buffer.from(`Bericht ${at}\n\n${text.replaceAll('’', "'")}\n`, 'latin1') },
];

/** A scan and a picture of a page, one of each in so many documents: they cost seconds each. */
const scanEvery = 16;

/** So many documents: text, tables, scans, in six languages. */
export async function* madeDocuments(count: number): AsyncGenerator<MadeDocument> {
  const pages = knownPages();
  for (let at = 0; at < count; at += 1) {
    const language = languages[at % languages.length]!;
    const text = `${prose[language]!} (${at})`;
    const page = pages[at % pages.length]!;
    if (at % scanEvery === 3) yield { name: `scan-${at}.pdf`, bytes: await scan(pdfOf([lines(`Report ${at}. ${text}`)])) };
    else if (at % scanEvery === 11)
      yield {
        name: `photo-${at}.png`,
        bytes: await pixels(pdfOf([[...lines(page.words.slice(0, 400)), { x: 72, y: 60, text: `Picture ${at}` }]])),
      };
    else {
      const { ending, make } = kinds[Math.floor(at / languages.length + at) % kinds.length]!;
      yield { name: `report-${at}-${language}.${ending}`, bytes: await make(at, text) };
    }
  }
}

/** The smallest so many PDFs of the corpus; fewer where it is not there. */
export async function corpusPdfs(count: number): Promise<{ name: string; path: string }[]> {
  const pdfs = (await corpusFiles()).filter(({ family }) => family === 'pdf');
  const sized = await Promise.all(pdfs.map(async ({ path }) => ({ path, name: basename(path), bytes: (await stat(path)).size })));
  return sized.toSorted((a, b) => a.bytes - b.bytes).slice(0, count);
}
