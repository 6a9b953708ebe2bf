import type { DIMENSIONS, Task } from './layout.ts';

export type Embedder = {
  /** For people: which vectors these are. */
  readonly name: string;
  readonly dimensions: typeof DIMENSIONS;
  /** Texts → unit vectors, flat, 768 numbers a text, in order. Vectors of one text under two tasks or two models differ. */
  embed(texts: readonly string[], task: Task, model: string): Promise<Float32Array>;
  /** Stops the threads; what is still under way is rejected. */
  close(): Promise<void>;
};
