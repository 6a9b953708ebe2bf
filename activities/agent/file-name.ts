/** A name that every file system takes, of any text. */
export const fileName = (text: string): string =>
  text
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/g, '')
    .slice(0, 80) || 'item';
