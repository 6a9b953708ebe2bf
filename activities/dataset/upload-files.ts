import { open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { writeOnce, writeWhole } from '../../files/whole-file.ts';
import type { StepContext } from '../frame/context.ts';

/** Where the parts of one upload go, as the service answered `upload/start`. Who reads the URLs may write the parts. */
export type UploadPlan = {
  /** 1 for the first upload of the step; a later one begins where the URLs of the one before have expired. */
  generation: number;
  /** SHA-256 of the file that it is for. */
  sha256: string;
  upload_id: string;
  object_id: string;
  /** By part number − 1. */
  urls: string[];
};

/** A part that the service has acknowledged, with the MD5 of its bytes. `opaque`: its ETag is no MD5. */
export type SentPart = { part: number; etag: string; md5: string; request_id: string; opaque?: true };

/** Uploads of one step at most: the URLs of the first and two more. */
export const mostGenerations = 3;

/** Files of a step's upload below `upload/STEP` of the run store: what survives a crash of the worker. */
export function uploadFiles({ store, step }: Pick<StepContext, 'store' | 'step'>) {
  const folder = (...parts: string[]): string => store.path('upload', step, ...parts);
  const planFile = (generation: number): string => folder(`plan-${generation}.json`);
  const partsFile = (generation: number): string => folder(`parts-${generation}.jsonl`);

  const readPlan = async (generation: number): Promise<UploadPlan | undefined> =>
    parse<UploadPlan>((await readText(planFile(generation))) ?? '');

  return {
    /** Of the child, by attempt: the file that is sent if it is not the source, ids and rejected rows. */
    source: (attempt: string): string => folder(attempt, 'source'),
    /** Of the child, by attempt: the rows of that file, while they are compared with the dataset's. */
    compared: (attempt: string): string => folder(attempt, 'compared'),
    /** JSON list of the digests of the parts, of the file that an attempt has made. */
    digests: (attempt: string): string => folder(attempt, 'digests.json'),

    /** The plan of the newest upload. */
    async plan(): Promise<UploadPlan | undefined> {
      for (let generation = mostGenerations; generation > 0; generation--) {
        const plan = await readPlan(generation);
        if (plan) return plan;
      }
      return undefined;
    },

    /** Keeps a plan unless its generation has one already; returns the one that is kept. */
    async keepPlan(plan: UploadPlan): Promise<UploadPlan> {
      await writeOnce(planFile(plan.generation), JSON.stringify(plan), { mode: 0o600 });
      return (await readPlan(plan.generation))!;
    },

    /** Forgets every upload: they were for another file. */
    async forget(): Promise<void> {
      for (let generation = 1; generation <= mostGenerations; generation++)
        for (const file of [planFile(generation), partsFile(generation)]) await rm(file, { force: true });
    },

    /** Has the service acknowledged the end of the upload? */
    isDone: async (): Promise<boolean> => (await readText(folder('done'))) !== undefined,
    /** Its signed URLs are of no more use, and are not kept. */
    async setDone({ generation, upload_id, object_id }: UploadPlan): Promise<void> {
      await writeWhole(folder('done'), JSON.stringify({ generation, upload_id, object_id }));
      for (let each = 1; each <= mostGenerations; each++) await rm(planFile(each), { force: true });
    },

    /** True for the first who gives an upload up. */
    async abandon(generation: number): Promise<boolean> {
      const file = await open(folder(`left-${generation}`), 'wx').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return undefined;
      });
      await file?.close();
      return file !== undefined;
    },

    /** Acknowledged parts of an upload by their number. */
    async sent(generation: number): Promise<Map<number, SentPart>> {
      const lines = ((await readText(partsFile(generation))) ?? '').split('\n').flatMap((line) => parse<SentPart>(line) ?? []);
      return new Map(lines.map((line) => [line.part, line]));
    },

    /** Writes a part down, durably. */
    async acknowledge(generation: number, part: SentPart): Promise<void> {
      const path = partsFile(generation);
      await makeFolder(dirname(path));
      await using file = await open(path, 'a');
      // A kill may have cut the line before, so each one begins on a line of its own.
      await file.writeFile(`\n${JSON.stringify(part)}\n`);
      await file.datasync();
    },
  };
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    // Cut by a kill: as good as never written.
    return undefined;
  }
}
