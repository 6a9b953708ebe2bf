import { DuckDBArrayVector, DuckDBFloatVector } from '@duckdb/node-api';
import { judged } from '../duck-error.ts';
import type { Source } from '../source.ts';

/** The vectors that a statement yields as its only column, one after the other; what is null is not said. */
export async function readVectors(source: Source, sql: string, rows: number, width: number): Promise<Float32Array> {
  const all = new Float32Array(rows * width);
  const result = await judged(source.name, () => source.engine.connection.stream(sql));
  let at = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const vector = chunk.getColumnVector(0);
    const child: unknown = vector instanceof DuckDBArrayVector ? vector['childData'] : undefined;
    if (!(child instanceof DuckDBFloatVector)) throw new Error('not a column of vectors');
    all.set((child as unknown as { items: Float32Array }).items.subarray(0, chunk.rowCount * width), at);
    at += chunk.rowCount * width;
  }
  return all;
}
