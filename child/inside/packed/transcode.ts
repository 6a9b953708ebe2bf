import { createReadStream, createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BadInput } from '../../../errors/classes.ts';
import { fence, type Unpacked } from './unpack.ts';

/** Writes a text file as UTF-8 to another place. Fails with `BadInput` where its bytes are no text of the encoding. */
export async function transcodeFile(path: string, encoding: string, to: string, so: Unpacked): Promise<void> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        done(null, decoder.decode(chunk, { stream: true }));
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        done(null, decoder.decode());
      } catch (error) {
        done(error as Error);
      }
    },
  });
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), decode, fence(so), createWriteStream(to));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new BadInput('bad_input', `${basename(path)}: is not ${encoding} text, as csv: { encoding } says`);
  }
}
