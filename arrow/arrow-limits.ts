/** What one Arrow file may take. */
export const arrowLimits = {
  /** Longest buffer of a record batch once decompressed, in MiB. */
  bufferMiB: 256,
  /** Longest schema, footer or message that is looked at, in MiB; the body of a message may be longer. */
  metadataMiB: 64,
} as const;
