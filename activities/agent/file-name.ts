import { cutName } from '../../text/cut-name.ts';

/** Bytes of a name: file systems take 255, with what stands before and behind it, also while the file is being written. */
const mostBytes = 160;

/** A name that every file system takes, of any text. */
export function fileName(text: string): string {
  const name = text
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/g, '')
    .slice(0, 80);
  return cutName(name, mostBytes) || 'item';
}
