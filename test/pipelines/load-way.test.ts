import { expect, test } from 'vitest';
import { batchesOf } from '../../contracts/maps/batches.ts';
import { chooseWay } from '../../pipelines/steps/dataset/load.ts';

const table = (rows: number, bytes = rows * 200) => ({ rows, bytes });

test.each([
  ['few rows', table(10_000), { held: 0, replace: false }, 'append'],
  ['many rows into an empty dataset', table(1_000_000), { held: 0, replace: false }, 'upload'],
  ['few rows of many bytes', table(10_000, 2_000_000_000), { held: 0, replace: false }, 'upload'],
  ['many rows into a dataset that has some', table(1_000_000), { held: 500, replace: false }, 'append'],
  ['very many rows into a dataset that has some', table(3_000_000), { held: 500, replace: false }, 'upload'],
  ['changed rows that are to be replaced', table(3_000_000), { held: 0, replace: true }, 'append'],
  ['a dataset that nobody has counted', table(1_000_000), { held: undefined, replace: false }, 'upload'],
  ['no rows of large files', table(0, 20_000_000_000), { held: 0, replace: false }, 'append'],
] as const)('%s', (_, source, known, way) => {
  const chosen = chooseWay(source, { ...known, batch: batchesOf() });
  expect(chosen.way).toBe(way);
  expect(chosen.because).not.toBe('');
});
