import { defaultPartSize } from '../../../contracts/maps/uploads.ts';

const mostParts = 10_000;
const MiB = 1024 * 1024;

/** Parts that leave one worker process at a time, whatever the number of chunks under way. */
export const partsInFlight = 4;

/** Chunks of an upload at a time: more than fill the parts in flight, so that none waits while a chunk returns. */
export const uploadWindow = 4;

export type PartPlan = { partSize: number; parts: number; partsPerChunk: number; chunks: number };

/**
 * How a file of so many bytes is cut: parts of 16 MiB, larger ones where there would be more than 10,000. A chunk is four
 * parts: with two, the chunks themselves took a tenth of the time of sending 1 GiB. Of large files it is more, to stay at
 * about 250 chunks.
 */
export function planParts(bytes: number): PartPlan {
  const partSize = Math.max(defaultPartSize, Math.ceil(bytes / mostParts / MiB) * MiB);
  const parts = Math.ceil(bytes / partSize);
  const partsPerChunk = Math.max(4, Math.ceil(parts / 250));
  return { partSize, parts, partsPerChunk, chunks: Math.ceil(parts / partsPerChunk) };
}
