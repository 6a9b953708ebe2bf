import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourcesSchema } from '../../config/sources-schema.ts';
import { createLanding, landingFolder } from '../../landing/landing.ts';
import type { RemoteFile } from '../../pipelines/source-spec.ts';
import type { TwistingProxy } from './support-twisting-proxy.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const signal = new AbortController().signal;

/** A server of files that are put there, seen through a proxy. */
export type Place = {
  name: string;
  proxy: TwistingProxy;
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  file(key: string): RemoteFile;
  secrets?: Record<string, string>;
};

/** Fetching into a folder of its own. */
export async function landingThere(endpoint: string, secrets: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'portolan-elsewhere-'));
  const named = Object.keys(secrets).length > 0 ? { secrets: { keyId: 'id', key: 'key' } } : {};
  const land = createLanding({
    root,
    allow: ['127.0.0.1'],
    mostBytes: 1e9,
    secret: async (name) => secrets[name]!,
    storages: sourcesSchema.parse({ s3: { here: { endpoint, ...named } } }).s3,
  });
  return {
    land: (file: RemoteFile, progress?: (done: number) => void) => land(file, { signal, ...(progress && { progress }) }),
    /** Hashes of the files that are kept, and how many parts are left. */
    async kept(): Promise<{ hashes: string[]; parts: number }> {
      const names = (folder: string): Promise<string[]> => readdir(join(root, landingFolder, folder)).catch(() => []);
      return { hashes: await names('objects'), parts: (await names('parts')).length };
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

export type Replaced = { refused: boolean; mixed: number; left: number; readAfter: boolean };

/** A file that is replaced at some byte of its reading; `several`: between the listing of a pattern and that reading. */
export async function replaceWhileRead({ proxy, put, file, secrets }: Place, several = false): Promise<Replaced> {
  await using there = await landingThere(proxy.endpoint, secrets);
  const folder = `r${randomInt(2 ** 40)}`;
  const [old, next, other] = [randomBytes(6_000_000), randomBytes(6_000_000), randomBytes(1_000)];
  const key = `${folder}/b.bin`;
  await put(key, old);
  await put(`${folder}/a.bin`, other);
  const at = randomInt(1_000_000);
  let replacing: Promise<unknown> | undefined;
  // A part of it is with neither side when it is broken off.
  proxy.passAtMost(several ? Infinity : 3_000_000);
  const replace = (): Promise<unknown> => {
    proxy.passAtMost(Infinity);
    return (replacing ??= proxy.breakOff(() => put(key, next)));
  };
  if (several) proxy.before(async (path) => void (path.includes('b.bin') && (await (replacing ??= put(key, next)))));
  const read = file(several ? `${folder}/*.bin` : key);
  const refused = await there
    .land(read, (done) => void (!several && done > at && replace()))
    .then(
      () => false,
      (error: Error) => error.name === 'NotFetched' && error.message.includes('was replaced while it was read'),
    );
  await replacing;
  proxy.before(undefined);
  const { hashes, parts } = await there.kept();
  const good = new Set([old, next, other].map(sha256));
  const mixed = hashes.filter((hash) => !good.has(hash)).length;
  await there.land(read);
  const after = await there.kept();
  return { refused, mixed, left: several ? parts : parts + hashes.length, readAfter: after.hashes.includes(sha256(next)) };
}

export type Broken = { equal: boolean; resets: number; overhead: number };

/** A file whose reading is reset so many times. */
export async function resetWhileRead({ proxy, put, file, secrets }: Place, times: number): Promise<Broken> {
  await using there = await landingThere(proxy.endpoint, secrets);
  const bytes = randomBytes(24_000_000);
  const key = `r${randomInt(2 ** 40)}.bin`;
  await put(key, bytes);
  const piece = Math.floor(bytes.byteLength / (times + 2));
  const before = proxy.bytes();
  proxy.passAtMost(piece);
  let resets = 0;
  let seen = 0;
  let due = randomInt(piece);
  let breaking: Promise<unknown> = Promise.resolve();
  const found = await there.land(file(key), (done) => {
    // What had come before a reset is still read after it: the next one is of the next connection.
    if (resets === times || done <= due || proxy.requests() === seen) return;
    seen = proxy.requests();
    due = done + randomInt(Math.floor(piece / 2));
    if (++resets === times) proxy.passAtMost(Infinity);
    breaking = proxy.breakOff();
  });
  await breaking;
  return { equal: found.sha256 === sha256(bytes), resets, overhead: (proxy.bytes() - before) / bytes.byteLength };
}
