import { embeddingsIn } from '../../vector-memory.ts';
import { judged } from '../duck-error.ts';
import type { Source } from '../source.ts';

/** The vectors that a statement yields as its only column, one after the other; what is null is not said. */
export async function readVectors(source: Source, sql: string, rows: number, width: number): Promise<Float32Array> {
  const all = new Float32Array(rows * width);
  const result = await judged(source.name, () => source.engine.connection.stream(sql));
  let at = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    all.set(embeddingsIn(chunk.getColumnVector(0)).subarray(0, chunk.rowCount * width), at);
    at += chunk.rowCount * width;
  }
  return all;
}
