import { open } from 'node:fs/promises';

/** Bytes of one part: what public clients cut. */
export const partBytes = 16 * 1024 * 1024;
/** Parts on their way at a time, as in `dataset.upload`. */
export const inFlight = 4;

/** What a sender is given: the file, the signed or plain URLs of its parts, and a folder of its own. */
export type SenderInput = { file: string; folder: string; urls: string[]; way: 'step' | 'raw' };
/** Seconds from the first PUT to the last answer. */
export type SenderOutcome = { seconds: number };

/** A file of parts that no two are alike and nothing compresses. */
export const writeParts = async (file: string, parts: number): Promise<void> => {
  await using handle = await open(file, 'w');
  const words = new Uint32Array(partBytes / 4);
  let state = 0x9e37_79b9;
  for (let part = 0; part < parts; part += 1) {
    for (let at = 0; at < words.length; at += 1) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      words[at] = state;
    }
    await handle.write(new Uint8Array(words.buffer));
  }
};
