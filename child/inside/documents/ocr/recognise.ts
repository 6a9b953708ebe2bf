import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'tesseract.js';
import { BadInput } from '../../../../errors/classes.ts';
import type { ChildContext } from '../../../protocol.ts';
import { folderOf, needPackages } from '../optional.ts';
import type { Piece } from '../layout/piece.ts';

/** The recogniser is less sure of a word than this, of a hundred: what it saw is no letters. */
const leastSure = 30;

/** Models by what is asked for: the letters of several languages together are those of most that are written in Latin script. */
const models = { en: ['eng'], latin: ['eng', 'deu', 'fra', 'spa'] } as const;

export type Language = keyof typeof models;

/** The one recogniser of this process: each holds its models in memory. */
let current: { language: Language; worker: Promise<Worker> } | undefined;

/** A folder with the models, since the library reads all of them from one. */
async function modelsIn(tempDir: string, language: Language): Promise<string> {
  const folder = await mkdtemp(join(tempDir, 'models-'));
  for (const code of models[language]) {
    const file = `${code}.traineddata.gz`;
    await symlink(join(folderOf(`@tesseract.js-data/${code}`), '4.0.0_best_int', file), join(folder, file));
  }
  return folder;
}

/** Starts the recogniser from its packages' own folders: nothing is fetched, and nothing kept elsewhere. */
async function start(language: Language, tempDir: string): Promise<Worker> {
  needPackages('ocr', 'recognising characters in pictures');
  if (language === 'latin') needPackages('latin', 'recognising characters of language latin');
  const { createWorker, OEM } = await import('tesseract.js');
  const langPath = await modelsIn(tempDir, language);
  try {
    return await createWorker([...models[language]], OEM.LSTM_ONLY, {
      langPath,
      gzip: true,
      cacheMethod: 'none',
      errorHandler: () => undefined,
    });
  } finally {
    await rm(langPath, { recursive: true, force: true });
  }
}

async function workerOf(language: Language, tempDir: string): Promise<Worker> {
  if (current?.language !== language) {
    const before = current;
    current = { language, worker: start(language, tempDir) };
    await before?.worker.then((worker) => worker.terminate()).catch(() => undefined);
  }
  return current.worker;
}

/** Words that were recognised in a picture (PNG), in pixels from its upper left, as high as their line. */
export async function recognise(picture: Uint8Array, language: Language, { tempDir }: Pick<ChildContext, 'tempDir'>): Promise<Piece[]> {
  const worker = await workerOf(language, tempDir);
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
