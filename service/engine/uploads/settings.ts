/** What the uploads of a service are held to. One object: a value changed in it holds from the next request on. */
export type UploadSettings = {
  /** Seconds that a part's URL is accepted after it was made. @default 3600 (assumption) */
  urlSeconds: number;
  /** Seconds after which an upload that was not completed is dropped with its parts. @default 86400 (assumption) */
  keepSeconds: number;
  /** Longest that one file may become when its buffers are decompressed, in bytes. @default 8 GiB */
  maxDecodedBytes: number;
};

export const defaultUploadSettings: Readonly<UploadSettings> = { urlSeconds: 3_600, keepSeconds: 86_400, maxDecodedBytes: 8 * 2 ** 30 };
