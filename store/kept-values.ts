import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BadInput } from '../errors/classes.ts';
import { shortageOf } from '../errors/system.ts';
import { writeWhole } from '../files/whole-file.ts';
import { isKept, isLarge, keptLimit } from '../pipelines/kept.ts';
import type { Json } from '../text/json.ts';
import { canonical } from '../text/canonical-json.ts';
import type { RunStore } from './run-store.ts';

/** The value where it is small, else a reference to it, written whole. Fails with `BadInput` beyond 4 MiB. */
export const keepValue = async (store: Pick<RunStore, 'path'>, value: Json): Promise<Json> =>
  isLarge(value) ? keptAs(store, value) : value;

/** The reference to a value, however small. */
export async function keptAs(store: Pick<RunStore, 'path'>, value: Json): Promise<Json> {
  const text = canonical(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > keptLimit)
    throw new BadInput(
      'too_large',
      `a result of ${bytes.toLocaleString('en-US')} bytes, at most ${keptLimit.toLocaleString('en-US')} can be kept: ask for fewer results or fields`,
    );
  const sha256 = createHash('sha256').update(text).digest('hex');
  const path = store.path('values', `${sha256}.json`);
  if ((await stat(path).catch(() => undefined))?.size !== bytes) await writeWhole(path, text);
  return { $kept: pathToFileURL(path).href, sha256, bytes };
}

/** What a reference stands for; any other value is itself. Only files of run stores are read, and only if their bytes have their name's hash. */
export async function keptValue(value: Json): Promise<Json> {
  if (!isKept(value)) return value;
  const path = fileURLToPath(value.$kept);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw (
      shortageOf(cause) ?? new Error(`${path} cannot be read: the folder of the run that made it is gone, or on another host`, { cause })
    );
  });
  if (createHash('sha256').update(text).digest('hex') !== value.sha256 || !path.endsWith(`${value.sha256}.json`))
    throw new Error(`${path} is not what was kept: the file was changed`);
  return JSON.parse(text) as Json;
}
