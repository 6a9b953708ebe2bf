import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { BadInput } from '../../../errors/classes.ts';
import { fence, type Unpacked } from './unpack.ts';

/** Writes a text file as UTF-8 to another place. Fails with `BadInput` where its bytes are no text of the encoding. */
export async function transcodeFile(path: string, encoding: string, to: string, unpacked: Unpacked): Promise<void> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  }
  const bounded = fence(unpacked, 'as UTF-8; cut it into several files');
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), decode, bounded, createWriteStream(to));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new BadInput('bad_input', `is not ${encoding} text, as csv: { encoding } says`);
  }
}
