import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, openAsBlob, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { HttpError } from '../core/errors.ts';

type Spooled = NonNullable<Endpoint['spooled']>;

/** A file of a form as it stands on the disk until its request has been answered. */
export type SpooledFile = { path: string; bytes: number; sha256: string };

export type SpooledForm = { fields: Record<string, unknown>; discard: () => Promise<void> };

const onDisk = new WeakMap<Blob, SpooledFile>();

/** Where the bytes of a file part stand, which `Endpoint.spooled` names; a link to them outlives the request. */
export const spooledFile = (file: Blob): SpooledFile => onDisk.get(file)!;

const notForm = (why: string): HttpError => new HttpError(422, [{ loc: ['body'], msg: why, type: 'value_error' }]);

/** Takes forms whose file is written to the disk while it comes: what was left by a kill is gone when the service starts. */
export const createSpool = (dataDir: string) => {
  const folder = join(dataDir, 'incoming');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  const write = async (stream: BusboyFileStream, path: string, signal: AbortSignal): Promise<SpooledFile> => {
    const hash = createHash('sha256');
    const file = createWriteStream(path, { mode: 0o600, flush: true });
    let bytes = 0;
    const hashed = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.byteLength;
        yield chunk;
      }
    };
    try {
      await pipeline(stream, hashed, file, { signal });
    } finally {
      // One that is still being opened would be made after it was removed.
      if (!file.closed) await once(file, 'close');
    }
    return { path, bytes, sha256: hash.digest('hex') };
  };

  return {
    /** The parts of a form by name. 413 as soon as the file is known to be too large; `promised`: the content-length. */
    async take(
      body: AsyncIterable<Uint8Array>,
      contentType: string,
      promised: string | null,
      { field, bytes: most }: Spooled,
    ): Promise<SpooledForm> {
      const tooLarge = new HttpError(413, `the part '${field}' is above ${most} bytes: send a smaller file`);
      // What stands around the file is small.
      if (Number(promised ?? 0) > most + 1_048_576) throw tooLarge;
      if (!/^multipart\/form-data\b/i.test(contentType)) throw notForm(`not a form: ${contentType || 'no content type'}`);
      const fields: Record<string, unknown> = {};
      const made: string[] = [];
      const stop = new AbortController();
      let file: Promise<void> | undefined;
      const discard = async (): Promise<void> => void (await Promise.all(made.map((path) => rm(path, { force: true }))));
      try {
        const form = new Busboy({
          headers: { 'content-type': contentType },
          limits: { fileSize: most, files: 1, fields: 32, fieldSize: 65_536 },
        });
        form.on('field', (name, value) => {
          // A text under the name of the file is no file.
          if (name !== field) fields[name] = value;
        });
        form.on('file', (name, stream, filename, _encoding, type) => {
          if (name !== field) return void stream.resume();
          const path = join(folder, randomUUID());
          made.push(path);
          stream.once('limit', () => form.destroy(tooLarge));
          file = write(stream, path, stop.signal).then(async (spooled) => {
            const blob = new File([await openAsBlob(path)], filename ?? '', { type });
            onDisk.set(blob, spooled);
            fields[field] = blob;
          });
          // Reported below; until then it must not count as unhandled.
          file.catch(() => undefined);
        });
        await pipeline(Readable.from(body), form);
        await file;
        return { fields, discard };
      } catch (error) {
        stop.abort();
        await file?.catch(() => undefined);
        await discard();
        if (error instanceof HttpError) throw error;
        throw notForm(`the form breaks off or cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
};

export type Spool = ReturnType<typeof createSpool>;
