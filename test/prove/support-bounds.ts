/** What a run over three million rows may take; MB are of 2^20 bytes. */
export const bounds = {
  events: 4_000,
  leastChunks: 300,
  historyBytes: 2_000_000,
  payloadBytes: 64 * 1024,
  gapSeconds: 2,
  workerMb: 300,
  serviceMb: 1_024,
};
