import { readFacts } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { readResources, resourceTable } from '../resources/store.ts';
import { tablesOf } from './schema.ts';

/** Drops what a removed dataset held; its journal stays. Repeatable. */
export const clearDataset = (dataset: Dataset): Promise<void> =>
  dataset.write(async (connection) => {
    const { indices } = await readFacts(connection);
    const resources = await readResources(connection);
    const tables = ['data', ...indices.flatMap(({ index_id }) => tablesOf(index_id)), ...resources.map(({ id }) => resourceTable(id))];
    for (const table of tables) await connection.run(`DROP TABLE IF EXISTS ${table}`);
    for (const table of ['columns', 'indices', 'axes', 'labelled', 'topic_models', 'topics', 'resources', 'tags', 'tagged', 'deleted'])
      await connection.run(`DELETE FROM ${table}`);
    await connection.run('UPDATE state SET rows = 0, id_field = NULL');
  });
