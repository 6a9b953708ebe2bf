import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../../../text/sql.ts';
import type { ResourceKind } from '../../../contracts/maps/resources.ts';
import { select } from '../datasets/dataset.ts';
import { run } from '../datasets/statements.ts';
import type { Node } from './plan.ts';

export type ResourceStatus = 'WAITING' | 'BUILDING' | 'COMPLETED' | 'FAILED';

export type Resource = Node & {
  params: Record<string, unknown>;
  status: ResourceStatus;
  result: Record<string, unknown> | null;
  error: string | null;
};

type Row = {
  id: string;
  kind: ResourceKind;
  params: string;
  upstream: string;
  status: ResourceStatus;
  result: string | null;
  error: string | null;
};

/** The table with what a resource has for each row of the dataset. */
export const resourceTable = (id: string): string => identifier(`resource ${id}`);

/** The resources of a dataset in the order in which they were asked for. */
export const readResources = async (connection: DuckDBConnection): Promise<Resource[]> =>
  (await select<Row>(connection, 'SELECT * EXCLUDE position FROM resources ORDER BY position')).map(
    ({ params, upstream, result, ...row }) => ({
      ...row,
      params: JSON.parse(params) as Resource['params'],
      upstream: JSON.parse(upstream) as string[],
      result: result === null ? null : (JSON.parse(result) as Resource['result']),
    }),
  );

/** Writes new resources, each waiting. */
export const insertResources = async (
  connection: DuckDBConnection,
  made: readonly (Node & { params: Record<string, unknown> })[],
): Promise<void> => {
  for (const { id, kind, params, upstream } of made)
    await run(connection, `INSERT INTO resources SELECT coalesce(max(position), 0) + 1, ?, ?, ?, ?, 'WAITING', NULL, NULL FROM resources`, [
      id,
      kind,
      JSON.stringify(params),
      JSON.stringify(upstream),
    ]);
};

export const setStatus = async (
  connection: DuckDBConnection,
  id: string,
  status: ResourceStatus,
  { result = null, error = null }: { result?: object | null; error?: string | null } = {},
): Promise<void> => {
  await run(connection, 'UPDATE resources SET status = ?, result = ?, error = ? WHERE id = ?', [
    status,
    result === null ? null : JSON.stringify(result),
    error,
    id,
  ]);
};

/** Pictures of maps by the id of the map, as hashes of blobs; the newest is the last. */
export type Pictures = ReadonlyMap<string, string>;

export const readPictures = async (connection: DuckDBConnection): Promise<Pictures> => {
  const rows = await select<{ map: string; hash: string }>(
    connection,
    "SELECT result->>'map_id' AS map, result->>'blob_hash' AS hash FROM resources WHERE kind = 'OPENGRAPH_IMAGE' AND status = 'COMPLETED' ORDER BY position",
  );
  const pictures = new Map<string, string>();
  for (const { map, hash } of rows) {
    pictures.delete(map);
    pictures.set(map, hash);
  }
  return pictures;
};
