/**
 * Cosine of the angle between two columns of vectors, as SQL. In single precision the squares of large numbers are infinite,
 * and DuckDB reports -1 for them as it does for a vector of length 0, which has no angle: rows at -1 are computed again in
 * double precision, those of length 0 count as 0.
 */
export const cosine = (a: string, b: string, dimensions: number): string => {
  const [wideA, wideB] = [a, b].map((vector) => `${vector}::DOUBLE[${dimensions}]`) as [string, string];
  const isZero = (vector: string): string => `array_inner_product(${vector}, ${vector}) = 0`;
  const exact = `CASE WHEN ${isZero(wideA)} OR ${isZero(wideB)} THEN 0 ELSE array_cosine_similarity(${wideA}, ${wideB}) END`;
  const quick = `array_cosine_similarity(${a}, ${b})`;
  return `CASE WHEN ${quick} > -1 THEN ${quick}::DOUBLE ELSE ${exact} END`;
};

export const dotProduct = (a: string, b: string, dimensions: number): string =>
  `array_inner_product(${a}::DOUBLE[${dimensions}], ${b}::DOUBLE[${dimensions}])`;
