import { cutName, mostNameBytes } from '../../text/cut-name.ts';

/** A name that every file system takes, of any text. */
export function fileName(text: string): string {
  const name = text
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/g, '')
    .slice(0, 80);
  return cutName(name, mostNameBytes) || 'item';
}
