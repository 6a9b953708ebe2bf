import { join } from 'node:path';
import type { Worker } from 'tesseract.js';
import { BadInput } from '../../../../errors/classes.ts';
import { folderOf, needPackages } from '../optional.ts';
import type { Piece } from '../layout/piece.ts';

/** The recogniser is less sure of a word than this, of a hundred: what it saw is no letters. */
const leastSure = 30;

let starting: Promise<Worker> | undefined;

/** Starts the recogniser from its packages' own folders: nothing is fetched, and nothing kept elsewhere. */
async function start(): Promise<Worker> {
  needPackages('ocr', 'recognising characters in pictures');
  const { createWorker, OEM } = await import('tesseract.js');
  return createWorker('eng', OEM.LSTM_ONLY, {
    langPath: join(folderOf('@tesseract.js-data/eng'), '4.0.0_best_int'),
    gzip: true,
    cacheMethod: 'none',
    errorHandler: () => undefined,
  });
}

/** Words that were recognised in a picture (PNG), in pixels from its upper left, as high as their line. */
export async function recognise(picture: Uint8Array): Promise<Piece[]> {
  const worker = await (starting ??= start());
  const { data } = await worker.recognize(Buffer.from(picture), {}, { blocks: true, text: false }).catch((error: unknown) => {
    throw new BadInput('bad_input', `the characters of a picture cannot be recognised: ${String(error)}`);
  });
  const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines));
  return lines.flatMap(({ words, bbox: line }) =>
    words
      .filter(({ confidence, text }) => confidence >= leastSure && text.trim() !== '')
      .map(({ text, bbox: { x0, x1 } }) => ({
        text,
        left: x0,
        right: x1,
        top: line.y0,
        bottom: line.y1,
        size: 0.8 * (line.y1 - line.y0),
      })),
  );
}
