import { open, rm, type FileHandle } from 'node:fs/promises';

/** Bytes after which what has been put aside goes to the file. */
const mostHeld = 1024 * 1024;

/** Values that are put aside, each to be taken once by its name. */
export type PassedRows<T> = AsyncDisposable & {
  put(key: string, value: T): Promise<void>;
  take(key: string): Promise<T | undefined>;
};

/** Puts values of JSON aside in a file of its own, which is gone when it is closed: names and places alone are held, however many there are. */
export function passedRows<T>(path: string): PassedRows<T> {
  const numbers = new Map<string, number>();
  /** Where the value of each number ends, and the next one begins. */
  const ends = [0];
  let file: FileHandle | undefined;
  let held: Buffer[] = [];
  let written = 0;
  const flush = async (): Promise<void> => {
    file ??= await open(path, 'w+');
    const bytes = Buffer.concat(held);
    held = [];
    // Behind what was written before; unlike a single write it goes on where one stops early, as on a full disk.
    await file.writeFile(bytes);
    written += bytes.length;
  };
  return {
    async put(key, value) {
      const bytes = Buffer.from(JSON.stringify(value));
      numbers.set(key, ends.length - 1);
      ends.push(ends.at(-1)! + bytes.length);
      held.push(bytes);
      if (ends.at(-1)! - written >= mostHeld) await flush();
    },
    async take(key) {
      const number = numbers.get(key);
      if (number === undefined) return undefined;
      numbers.delete(key);
      const [begin, end] = [ends[number]!, ends[number + 1]!];
      if (end > written) await flush();
      const { buffer } = await file!.read(Buffer.alloc(end - begin), 0, end - begin, begin);
      return JSON.parse(buffer.toString('utf8')) as T;
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
      await rm(path, { force: true });
    },
  };
}
