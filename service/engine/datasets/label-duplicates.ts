import { identifier } from '../../../text/sql.ts';
import type { Computing } from '../compute/compute.ts';
import { duplicateClasses } from '../labels/duplicates.ts';
import { appendColumns } from './chunks.ts';
import type { Dataset } from './dataset.ts';
import { numberedVectors } from './numbered-vectors.ts';
import { duplicateColumns, duplicatesTable } from './schema.ts';
import type { IndexRow } from './schema.ts';

/** Most points of a map whose duplicates are found: each is compared with every other. */
export const mostCompared = 100_000;

/** Finds the duplicates of an index anew and writes them. */
export const labelDuplicates = async (dataset: Dataset, index: IndexRow, cutoff: number, computing: Computing): Promise<true> => {
  if (index.rows > mostCompared)
    throw new Error(`duplicates are found among ${mostCompared} points at most, and the map has ${index.rows}`);
  const { rows, vectors } = await dataset.read((connection) => numberedVectors(connection, index));
  const { cluster, kind } = await computing.run('duplicatesOf', vectors, index.dimensions!, cutoff);
  const table = duplicatesTable(index.index_id);
  const [kinds, clusters] = duplicateColumns.map(({ name }) => identifier(name));
  await dataset.write(async (connection) => {
    await connection.run(
      `CREATE OR REPLACE TABLE ${table} ("_row" BIGINT NOT NULL, ${kinds} VARCHAR NOT NULL, ${clusters} INTEGER NOT NULL)`,
    );
    await appendColumns(
      connection,
      `duplicates ${index.index_id}`,
      [
        { kind: 'bigint', values: rows },
        { kind: 'text', values: Array.from(kind, (each) => duplicateClasses[each]!) },
        { kind: 'integer', values: Int32Array.from(cluster) },
      ],
      rows.length,
    );
  });
  return true;
};
