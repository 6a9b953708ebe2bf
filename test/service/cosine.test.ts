import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { cosine } from '../../service/engine/datasets/cosine.ts';

test.each([
  ['equal', [1, 2], [2, 4], 1],
  ['opposite', [1, 2], [-1, -2], -1],
  ['at a right angle', [1, 0], [0, 1], 0],
  ['one of length 0', [0, 0], [1, 0], 0],
  ['both of length 0', [0, 0], [0, 0], 0],
  ['so long that squares overflow', [3e38, 1e38], [3e38, 1e38], 1],
  ['so long that the product of the squares overflows', [5e9, 0], [5e9, 5e9], Math.SQRT1_2],
  ['so long, and nearly equal', [1.7e12, 3], [1.7e12, 9e5], 1],
  ['one of them very long', [1e19, 0], [1e10, 1e10], Math.SQRT1_2],
  ['so short that the product of the squares is 0', [1e-12, 0], [1e-13, 1e-12], 0.0995037],
  ['so short that the product of the squares has few digits', [1e-10, 0], [1e-12, 1e-12], Math.SQRT1_2],
  ['so short that squares are 0', [1e-30, 0], [1e-30, 1e-30], Math.SQRT1_2],
])('the cosine of two vectors, %s', async (_, a, b, expected) => {
  const connection = await (await DuckDBInstance.create()).connect();
  const sql = (vector: number[]): string => `[${vector.join(', ')}]::FLOAT[2]`;
  const rows = await (await connection.run(`SELECT ${cosine('a', 'b', 2)} FROM (SELECT ${sql(a)} AS a, ${sql(b)} AS b)`)).getRows();
  expect(Number(rows[0]![0])).toBeCloseTo(expected, 6);
  connection.closeSync();
});
