import { literal } from '../../../text/sql.ts';

/** A vector that rows are compared with, as SQL: a constant, for a column would be copied for every row. */
export const vectorLiteral = (vector: readonly number[]): string =>
  `from_json(${literal(JSON.stringify(vector))}, '["FLOAT"]')::FLOAT[${vector.length}]`;

/**
 * Cosine of the angle between two columns of vectors, as SQL. In double precision: in single, the squared lengths, or their product, are
 * infinite of long vectors and 0 of short ones, and DuckDB gives a number that looks like any other. It reports -1 also for a vector
 * of length 0, which has no angle: that counts as 0.
 */
export const cosine = (a: string, b: string, dimensions: number): string => {
  const [wideA, wideB] = [a, b].map((vector) => `${vector}::DOUBLE[${dimensions}]`) as [string, string];
  const isZero = (vector: string): string => `array_inner_product(${vector}, ${vector}) = 0`;
  const exact = `array_cosine_similarity(${wideA}, ${wideB})`;
  return `CASE WHEN ${exact} > -1 THEN ${exact} WHEN ${isZero(wideA)} OR ${isZero(wideB)} THEN 0 ELSE -1 END`;
};

export const dotProduct = (a: string, b: string, dimensions: number): string =>
  `array_inner_product(${a}::DOUBLE[${dimensions}], ${b}::DOUBLE[${dimensions}])`;
