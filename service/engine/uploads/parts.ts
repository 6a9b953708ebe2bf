import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpError } from '../../core/errors.ts';
import { placeOf } from './plan.ts';
import { receive } from './receive.ts';
import type { UploadRecords, UploadRow } from './records.ts';
import type { Writers } from './writers.ts';

/** The file of an upload: a part's first bytes go to their place in it, so that nothing is left to join. */
const WHOLE = 'file';

export type Parts = {
  /** Makes room for the file of a new upload. */
  prepare(upload: UploadRow): Promise<void>;
  /** Keeps one part and returns its hex MD5; from then on kill -9 does not lose it. A repeat replaces the former one, whole or not at all. */
  put(upload: UploadRow, partNumber: number, body: AsyncIterable<Uint8Array>): Promise<string>;
  /** Ends the parts that are under way and accepts none until `reopen`. */
  seal(uploadId: string): Promise<void>;
  isSealed(uploadId: string): boolean;
  /** Takes parts again and removes what was unpacked. */
  reopen(uploadId: string): Promise<void>;
  /** Brings every acknowledged part to its place; returns the path of the file. Repeatable. Only while sealed. */
  whole(upload: UploadRow): Promise<string>;
  /** A new folder for the rows of the file. */
  rowsFolder(uploadId: string): string;
  /** Removes what is there beside the acknowledged parts. Only while no part is under way. */
  tidy(uploadId: string): Promise<void>;
  drop(uploadId: string): Promise<void>;
};

type Active = { places: Set<number>; ends: Set<{ controller: AbortController; done: Promise<unknown> }>; sealed: boolean };

export const createParts = (folder: string, records: UploadRecords, writers: Writers): Parts => {
  const active = new Map<string, Active>();
  const stateOf = (uploadId: string): Active => {
    const known = active.get(uploadId);
    if (known) return known;
    const state: Active = { places: new Set(), ends: new Set(), sealed: false };
    active.set(uploadId, state);
    return state;
  };
  const folderOf = (uploadId: string): string => join(folder, uploadId);
  // Another name each time: the child of a service that was killed may still be writing into the last one.
  const rowsFolder = (uploadId: string): string => join(folderOf(uploadId), `rows-${randomUUID()}`);

  const tidy = async (uploadId: string): Promise<void> => {
    const known = new Set([WHOLE, ...records.parts(uploadId).map(({ file }) => file)]);
    // A dropped upload has no folder.
    const names = await readdir(folderOf(uploadId)).catch(() => []);
    for (const name of names) if (!known.has(name)) await rm(join(folderOf(uploadId), name), { recursive: true, force: true });
  };

  const keep = async (
    upload: UploadRow,
    partNumber: number,
    body: AsyncIterable<Uint8Array>,
    state: Active,
    signal: AbortSignal,
  ): Promise<string> => {
    const { offset, length } = placeOf(upload, partNumber);
    // Only bytes that nobody was promised are written over: a repeat of an acknowledged part goes to a file of its own.
    const inPlace = !state.places.has(partNumber) && !records.part(upload.upload_id, partNumber);
    const file = inPlace ? WHOLE : `part-${partNumber}-${randomUUID()}`;
    const path = join(folderOf(upload.upload_id), file);
    if (inPlace) state.places.add(partNumber);
    try {
      const sink = inPlace ? writers.open(path, 'r+', offset) : writers.open(path, 'wx', 0);
      const { size, md5 } = await receive(body, sink, length, signal);
      const former = records.part(upload.upload_id, partNumber);
      records.setPart(upload.upload_id, { part_number: partNumber, size, md5, file });
      if (former && former.file !== WHOLE) await rm(join(folderOf(upload.upload_id), former.file), { force: true });
      return md5;
    } catch (error) {
      if (!inPlace) await rm(path, { force: true });
      throw error;
    } finally {
      if (inPlace) state.places.delete(partNumber);
    }
  };

  return {
    async prepare({ upload_id, file_size }) {
      await mkdir(folderOf(upload_id), { recursive: true });
      const handle = await open(join(folderOf(upload_id), WHOLE), 'w');
      await handle.truncate(file_size);
      await handle.close();
    },
    async put(upload, partNumber, body) {
      const state = stateOf(upload.upload_id);
      if (state.sealed) throw new HttpError(409, 'the upload is being completed; it takes no more parts');
      const controller = new AbortController();
      const done = keep(upload, partNumber, body, state, controller.signal);
      const end = { controller, done: done.catch(() => undefined) };
      state.ends.add(end);
      try {
        return await done;
      } finally {
        state.ends.delete(end);
      }
    },
    async seal(uploadId) {
      const state = stateOf(uploadId);
      state.sealed = true;
      const ends = [...state.ends];
      for (const { controller } of ends) controller.abort(new HttpError(409, 'the upload is being completed; it takes no more parts'));
      await Promise.all(ends.map(({ done }) => done));
    },
    isSealed: (uploadId) => active.get(uploadId)?.sealed ?? false,
    async reopen(uploadId) {
      await tidy(uploadId);
      active.delete(uploadId);
    },
    async whole(upload) {
      const path = join(folderOf(upload.upload_id), WHOLE);
      for (const { part_number, file } of records.parts(upload.upload_id)) {
        if (file === WHOLE) continue;
        const handle = await open(path, 'r+');
        try {
          let position = placeOf(upload, part_number).offset;
          for await (const chunk of createReadStream(join(folderOf(upload.upload_id), file), { highWaterMark: 1 << 20 })) {
            await handle.write(chunk as Uint8Array, 0, (chunk as Uint8Array).byteLength, position);
            position += (chunk as Uint8Array).byteLength;
          }
        } finally {
          await handle.close();
        }
      }
      await truncate(path, upload.file_size);
      return path;
    },
    rowsFolder,
    tidy,
    async drop(uploadId) {
      active.delete(uploadId);
      await rm(folderOf(uploadId), { recursive: true, force: true });
    },
  };
};
