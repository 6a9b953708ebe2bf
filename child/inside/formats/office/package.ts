import { crc32 } from 'node:zlib';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { BadInput } from '../../../../errors/classes.ts';
import { countUnpacked, type Unpacked } from '../../packed/unpack.ts';

export type OfficeFile = 'workbook' | 'document';

/**
 * Parts of an Office file (ECMA-376, part 2), by their names without the slash in front. Case is ignored, and whether a character is
 * escaped (`%20`): programs differ in what they escape.
 */
export type Package = Disposable & {
  /** What the file is, for messages about it. */
  what: OfficeFile;
  has(name: string): boolean;
  /** The bytes of a part, counted as unpacked and held to their checksum. Fails with `BadInput` where there is none, or it is damaged. */
  read(name: string): AsyncGenerator<Buffer>;
};

/** What to do with a file that unpacks to more than a request may take. */
export const tooLarge = (what: OfficeFile): string => `unpacked; cut it into several ${what}s`;

/** More parts than any file has; their names are held in memory. */
const mostParts = 100_000;

/** An error of the ZIP reader as a verdict on the file; an error of the system stays one. */
function damage(error: unknown, what: OfficeFile): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof BadInput || (code !== undefined && !code.startsWith('Z_'))) return error;
  return new BadInput('bad_input', `is a damaged ${what}: ${message}`);
}

function keyOf(name: string): string {
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

async function entriesOf(zip: ZipFile, what: OfficeFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = keyOf(entry.fileName);
    if (entries.has(name)) throw new BadInput('bad_input', `is a damaged ${what}: it has the part ${entry.fileName} twice`);
    if (entries.size === mostParts) throw new BadInput('bad_input', `is no ${what}: it has more than ${mostParts} parts`);
    entries.set(name, entry);
  }
  return entries;
}

async function* bytesOf(zip: ZipFile, entry: Entry, unpacked: Unpacked, what: OfficeFile): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) throw new BadInput('bad_input', 'is encrypted; save it without a password');
  let sum = 0;
  try {
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      countUnpacked(unpacked, chunk.length, tooLarge(what));
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    throw damage(error, what);
  }
  if (sum !== entry.crc32) throw new BadInput('bad_input', `is a damaged ${what}: ${entry.fileName} has another checksum`);
}

/** Opens a ZIP file as the parts that its directory names. Fails with `BadInput` where it is none, or damaged. */
export async function openPackage(path: string, unpacked: Unpacked, what: OfficeFile): Promise<Package> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true }).catch((error: unknown) => {
    throw damage(error, what);
  });
  const entries = await entriesOf(zip, what).catch((error: unknown) => {
    zip.close();
    throw damage(error, what);
  });
  return {
    what,
    has: (name) => entries.has(keyOf(name)),
    async *read(name) {
      const entry = entries.get(keyOf(name));
      if (!entry) throw new BadInput('bad_input', `is a damaged ${what}: the part ${name} is missing`);
      yield* bytesOf(zip, entry, unpacked, what);
    },
    [Symbol.dispose]: () => zip.close(),
  };
}
