import { join } from 'node:path';
import { NotFetched } from '../errors/classes.ts';
import { bytes as sized } from '../text/units.ts';
import type { Answer } from '../reach/answer.ts';
import { createAsking, type AskOptions, type Asking } from './ask.ts';
import { hash } from './hash.ts';
import { openPart, removePart, type PartFile } from './part-file.ts';
import type { Target } from '../reach/request.ts';
import { isSame, only, strongTag, unless, versionOf, type Version } from './version.ts';

/** A file as it was fetched. `packed`: the ending of the packing that its server has put around it. */
export type Fetched = { part: string; bytes: number; sha256: string; version: Version; packed: Packed };

export type DownloadOptions = AskOptions & {
  /** Folder of the parts. */
  into: string;
  /** A file of more bytes is refused. */
  mostBytes: number;
  /** The version that is here already. */
  known?: Version | undefined;
  /** The version that is meant: any other is a file that was replaced. */
  meant?: Version | undefined;
  progress?: ((done: number, total: number | undefined) => void) | undefined;
};

export type Packed = '' | '.gz' | '.zst';

const packings: Readonly<Record<string, Packed>> = { '': '', identity: '', gzip: '.gz', 'x-gzip': '.gz', zstd: '.zst' };

/** A file on its way: `total` as announced, where it was. */
type Coming = { version: Version; total: number | undefined; packed: Packed; part: PartFile };

/**
 * Fetches a file whole into a part of the folder; undefined where the version that is here is still the one that is there. What breaks off
 * is gone on with from the byte where it stopped, as long as it is the same strong version. Fails with `NotFetched` where the file was
 * replaced while it was read, and where it may not be had; with `Wait` where the server asks for one; with `Interrupted` where nothing
 * came for some tries.
 */
export async function download(target: Target, options: DownloadOptions): Promise<Fetched | undefined> {
  const { known, meant, into, mostBytes, progress } = options;
  const { place } = target;
  const asking = createAsking(target, options);
  let file: Coming | undefined;
  try {
    while (file === undefined || file.part.bytes !== file.total) {
      const answer = await asking.ask(file ? fromThere(file) : meant ? only(meant) : unless(known ?? {}));
      if (!answer) continue;
      try {
        if (answer.status === 304 && !file) return undefined;
        if (file && isBehind(answer, file)) break;
        const found = read(answer, file ?? (meant && { version: meant }), place, mostBytes);
        if (file === undefined || (file.part.bytes > 0 && strongTag(file.version) === undefined)) {
          await discard(file);
          file = { ...found, part: await openPart(join(into, partName(target, found.version))) };
          // Begun by an earlier attempt: asked for from there on.
          if (file.part.bytes > 0) continue;
        }
        file.total ??= found.total;
        if (await receive(answer, file)) break;
      } finally {
        answer.close();
      }
    }
    await file.part.mark();
    await stillThere(asking, file, place);
    return { part: file.part.path, bytes: file.part.bytes, sha256: file.part.sha256(), version: file.version, packed: file.packed };
  } catch (error) {
    if (file && (error instanceof NotFetched || strongTag(file.version) === undefined)) await discard(file);
    else await file?.part.mark();
    throw error;
  } finally {
    await file?.part[Symbol.asyncDispose]();
  }

  /** Takes what an answer brings; true where its end is that of a file whose size nobody announced. */
  async function receive(answer: Answer, { part, total, version }: Coming): Promise<boolean> {
    // A server without ranges sends all of it again.
    let skip = answer.status === 200 ? part.bytes : 0;
    try {
      for await (const chunk of answer.body) {
        const rest = chunk.subarray(Math.min(skip, chunk.byteLength));
        skip -= chunk.byteLength - rest.byteLength;
        if (rest.byteLength === 0) continue;
        if (part.bytes + rest.byteLength > Math.min(mostBytes, total ?? Infinity)) throw tooLarge(place, total ?? mostBytes);
        await part.write(rest);
        // Where it is begun anew each time, tries must come to an end.
        if (strongTag(version) !== undefined) asking.came();
        progress?.(part.bytes, total);
      }
      if (total === undefined) return true;
      if (part.bytes < total) throw new Error(`ended after ${part.bytes} of ${total} bytes`);
    } catch (error) {
      await asking.failed(error);
    }
    return false;
  }
}

/** Asks for what has not come yet; of a version that cannot be gone on with, for all of it. */
function fromThere({ part, version }: Coming): Record<string, string> {
  return part.bytes > 0 && strongTag(version) !== undefined ? { range: `bytes=${part.bytes}-`, ...only(version) } : {};
}

const numbered = (text: string | undefined): number | undefined => (text === undefined || text === '*' ? undefined : Number(text));

/** Where a part begins, and of how many bytes it is one. */
function rangeOf({ headers }: Answer): { begins?: number | undefined; of?: number | undefined } {
  const [, begins, of] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return { begins: numbered(begins), of: numbered(of) };
}

/** True where there is nothing behind what has come of a file whose size nobody announced. */
const isBehind = (answer: Answer, { part, total }: Coming): boolean =>
  answer.status === 416 && total === undefined && rangeOf(answer).of === part.bytes;

/** What an answer is a part of. Fails where it is not of the file that is on its way, or meant, and where it is not to be had. */
function read(
  answer: Answer,
  file: { version: Version; total?: number | undefined; part?: PartFile } | undefined,
  place: string,
  mostBytes: number,
): Omit<Coming, 'part'> {
  const { status, headers } = answer;
  const from = file?.part?.bytes ?? 0;
  const { begins, of } = rangeOf(answer);
  const total = status === 206 ? of : numbered(headers['content-length']);
  const version = versionOf(headers);
  if (status === 412 || (file && status !== 416 && !isSame(version, file.version))) throw replaced(place);
  if (status !== 200 && !(status === 206 && file?.part && begins === from))
    throw new NotFetched(
      `${place}: the server answers ${status} where ${file?.part ? `bytes from ${from} on of ${file.total ?? 'it'} are` : 'a file is'} due`,
      'name the address of a file that its server sends whole',
    );
  if (file?.total !== undefined && total !== undefined && total !== file.total) throw replaced(place);
  if (total !== undefined && total > mostBytes) throw tooLarge(place, mostBytes);
  const coding = headers['content-encoding']?.toLowerCase() ?? '';
  const packed = packings[coding];
  if (packed === undefined)
    throw new NotFetched(
      `${place}: is sent as ${coding}, though it was asked for as it is`,
      'have its server send it as it is, or as gzip or zstd',
    );
  return { version, total, packed };
}

/** A part of a strong version is found again by it; any other is of this attempt alone. */
const partName = ({ url }: Target, version: Version): string =>
  hash(`${url.href} ${strongTag(version) ?? `${process.pid} ${performance.timeOrigin + performance.now()}`}`);

async function discard(file: Coming | undefined): Promise<void> {
  if (!file) return;
  await file.part[Symbol.asyncDispose]();
  await removePart(file.part.path);
}

/** A server that reads a file while it is written over sends halves of two under one name. */
async function stillThere(asking: Asking, { version, total }: Coming, place: string): Promise<void> {
  while (version.etag !== undefined || version.lastModified !== undefined) {
    const answer = await asking.ask(unless(version));
    if (!answer) continue;
    answer.close();
    const { status, headers } = answer;
    const length = numbered(headers['content-length']);
    const isAsLong = total === undefined || length === undefined || length === total;
    if (status === 304 || (status === 200 && isAsLong && isSame(versionOf(headers), version))) return;
    throw replaced(place);
  }
}

const replaced = (place: string): NotFetched =>
  new NotFetched(`${place} was replaced while it was read: nothing of it is kept`, 'run again: it is then read as it is now');

const tooLarge = (place: string, mostBytes: number): NotFetched =>
  new NotFetched(
    `${place}: is larger than ${sized(mostBytes)}`,
    "where it may be, say so in portolan.config.mts: sources: { most: '50GB' }",
  );
