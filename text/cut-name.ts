/** Bytes that a name may have: file systems take 255, with what stands before and behind it, also while the file is being written. */
export const mostNameBytes = 160;

/** A name cut to so many bytes in UTF-8, the most at the end of a character. */
export function cutName(name: string, mostBytes: number): string {
  const { read } = new TextEncoder().encodeInto(name, new Uint8Array(mostBytes));
  return name.slice(0, read);
}
