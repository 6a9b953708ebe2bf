/** What one document may take. docs/service.md says the same in words. */
export const documentLimits = {
  /** Children at once: so many documents are read side by side. */
  children: 1,
  /** Most resident memory of a child, in MiB: a page as pixels, and the recogniser of characters with its model. */
  memoryMb: 1_536,
  /** Largest file, in MiB. */
  fileMiB: 200,
  /** What the parts of a packed document (DOCX) may hold once unpacked, in MiB. */
  unpackedMiB: 512,
  /** Time of one document in seconds, and what each page that was read, and each picture that was recognised, adds. */
  seconds: 60,
  secondsPerPage: 5,
  secondsPerPicture: 60,
  /** Time of one document in all, in seconds: others wait for it. */
  mostSeconds: 3_600,
  pages: 2_000,
  /** Characters of text in all, in millions. */
  characters: 32_000_000,
  blocks: 200_000,
  /** Rows times columns of one table; a table beyond is text. */
  cells: 100_000,
  /** Pixels of one picture that is decoded, and the longest side of one in which characters are recognised. */
  pixels: 64_000_000,
  pictureSide: 4_000,
  /** Pictures of one page in which characters are recognised; of more the first ones are. */
  picturesPerPage: 16,
  /** The same of a document without pages. */
  pictures: 128,
  /** Longest chunk of a format without pages, in characters. */
  chunkCharacters: 4_000,
} as const;
