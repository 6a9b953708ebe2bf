import { DuckDBArrayVector, type DuckDBVector } from '@duckdb/node-api';

/**
 * The numbers of a vector as they lie in DuckDB's memory, to be read and written: value by value it takes twenty times as long.
 * Nulls are not marked. Fails where the vector holds no numbers of this kind.
 */
export function numbersIn<T>(vector: DuckDBVector, kind: new (...args: never[]) => T): T {
  const items: unknown = 'items' in vector ? vector.items : undefined;
  if (items instanceof kind) return items;
  throw new Error(`a vector of ${String(vector.type)} holds no ${kind.name}`);
}

/** The one vector below a vector of arrays: their elements, one array behind the other. Undefined for a vector of anything else. */
export function elementsIn(vector: DuckDBVector): DuckDBVector | undefined {
  return vector instanceof DuckDBArrayVector ? vector['childData'] : undefined;
}

/** The elements of a vector of arrays of single-precision numbers. */
export function embeddingsIn(vector: DuckDBVector): Float32Array {
  const elements = elementsIn(vector);
  if (elements === undefined) throw new Error(`a vector of ${String(vector.type)} is none of arrays`);
  return numbersIn(elements, Float32Array);
}
