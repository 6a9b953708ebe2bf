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
])('the cosine of two vectors, %s', async (_, a, b, expected) => {
  const connection = await (await DuckDBInstance.create()).connect();
  const sql = (vector: number[]): string => `[${vector.join(', ')}]::FLOAT[2]`;
  const rows = await (await connection.run(`SELECT ${cosine('a', 'b', 2)} FROM (SELECT ${sql(a)} AS a, ${sql(b)} AS b)`)).getRows();
  expect(Number(rows[0]![0])).toBeCloseTo(expected, 6);
  connection.closeSync();
});
