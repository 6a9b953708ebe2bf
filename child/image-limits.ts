/** What one image may take. */
export const imageLimits = {
  /** Images are opened side by side in so many processes. */
  children: 1,
  /** Most resident memory of one of them, in MiB. */
  memoryMb: 768,
  /** Time of one image, in seconds. */
  seconds: 20,
  /** Most pixels of an image, by what its header says: 64 megapixels stand in 256 MB once decoded. */
  pixels: 64_000_000,
  /** Largest file, in bytes. */
  fileBytes: 32 * 1024 * 1024,
} as const;
