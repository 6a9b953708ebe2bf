import { readFacts } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { positionsTable, vectorsTable } from './schema.ts';

/** Drops what a removed dataset held; its journal stays. Repeatable. */
export const clearDataset = (dataset: Dataset): Promise<void> =>
  dataset.write(async (connection) => {
    const { indices } = await readFacts(connection);
    const tables = ['data', ...indices.flatMap(({ index_id }) => [vectorsTable(index_id), positionsTable(index_id)])];
    for (const table of tables) await connection.run(`DROP TABLE IF EXISTS ${table}`);
    for (const table of ['columns', 'indices', 'axes', 'tags', 'tagged', 'deleted']) await connection.run(`DELETE FROM ${table}`);
    await connection.run('UPDATE state SET rows = 0, id_field = NULL');
  });
