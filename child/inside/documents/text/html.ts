import type { Reader } from '../block.ts';
import { charsetOf, decodeText } from './decode.ts';
import { htmlBlocks } from './html-blocks.ts';

/** The encoding that a page itself names within its first bytes, as browsers look for it. */
const saidInside = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]+)/i.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)))?.[1];

export const readHtml: Reader = ({ bytes, contentType }) => {
  const notes: string[] = [];
  return { ...htmlBlocks(decodeText(bytes, charsetOf(contentType) ?? saidInside(bytes), notes)), notes };
};
