import type { DIMENSIONS, Task } from './layout.ts';

/** How long work that nobody waits for, as the build of a map, waits for an endpoint that asks for it. */
export const patienceMs = 3_600_000;

export type Embedder = {
  /** For people: which vectors these are. */
  readonly name: string;
  readonly dimensions: typeof DIMENSIONS;
  /**
   * Texts → unit vectors, flat, 768 numbers a text, in order. Vectors of one text under two tasks or two models differ. `longestWaitMs`: an
   * endpoint that asks for a longer wait fails the call at once. @default 10 s, as whoever asked gives up after a minute
   */
  embed(texts: readonly string[], task: Task, model: string, longestWaitMs?: number): Promise<Float32Array>;
  /** Stops the threads; what is still under way is rejected. */
  close(): Promise<void>;
};
