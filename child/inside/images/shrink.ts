import type { Methods } from '../../protocol.ts';
import { decode, verdictOf } from './decode.ts';

/** What public clients send: small enough for thousands, and what a map shows of an image. */
const quality = 88;

export async function shrinkImage({ name, image, side }: Methods['shrinkImage']['input']): Promise<Methods['shrinkImage']['output']> {
  const decoding = await decode(name, image);
  const smaller = decoding.open().resize(side, side, { fit: 'inside', withoutEnlargement: true }).jpeg({ quality, mozjpeg: false });
  const { data, info } = await verdictOf(name, smaller.toBuffer({ resolveWithObject: true }));
  return { jpeg: new Uint8Array(data), width: info.width, height: info.height };
}
