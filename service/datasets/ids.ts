import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from './schema.ts';
import { select } from './dataset.ts';

/** SQL for a list of ids that is bound as one JSON text: 5,000 ids are found among a million in about 30 ms, without an index. */
export const listOfIds = `(SELECT unnest(from_json(CAST(? AS VARCHAR), '["VARCHAR"]')))`;

/** Those of the ids that the dataset holds. */
export const knownIds = async (connection: DuckDBConnection, idField: string, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await select<{ id: string }>(connection, `SELECT ${quoted(idField)} AS id FROM data WHERE ${quoted(idField)} IN ${listOfIds}`, [
        JSON.stringify(ids),
      ])
    ).map(({ id }) => id),
  );
