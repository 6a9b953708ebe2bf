import { identifier } from '../../../text/sql.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { readChunks, readNumbers } from './chunks.ts';
import { select } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { numbersIn } from '../../../child/vector-memory.ts';
import type { Hashes } from './id-index.ts';

/** SQL for a list of ids that is bound as one JSON text: that of `boundIds`. */
export const listOfIds = `(SELECT unnest(from_json(CAST(? AS VARCHAR), '["VARCHAR"]')))`;

/**
 * What `listOfIds` is bound to. Half a character (one surrogate without the other) is in no id, because the texts of a dataset are made well-formed;
 * an id that is asked for and has one is left out: DuckDB refuses JSON with one, and with another character in its place it would be somebody else's.
 */
export const boundIds = (ids: readonly string[]): string => JSON.stringify(ids.filter((id) => id.isWellFormed()));

/** SQL for a list of row numbers that is bound as one JSON text. */
export const listOfRows = `(SELECT unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]')))`;

/** A hash for each id, in their order, also for one that is in no dataset. */
const hashesOf = async (connection: DuckDBConnection, ids: readonly string[]): Promise<Hashes> => {
  const hashes = new BigUint64Array(ids.length);
  let at = 0;
  for await (const chunk of readChunks(connection, `SELECT hash(unnest(from_json(CAST(? AS VARCHAR), '["VARCHAR"]')))`, [
    JSON.stringify(ids.map((id) => id.toWellFormed())),
  ])) {
    hashes.set(numbersIn(chunk.getColumnVector(0), BigUint64Array), at);
    at += chunk.rowCount;
  }
  return new Uint32Array(hashes.buffer);
};

/** Fills the index from the data. Only in a write, where no row can be added meanwhile. */
const fill = async ({ ids }: Dataset, connection: DuckDBConnection, idField: string): Promise<void> => {
  if (ids.ready) return;
  ids.reset();
  ids.ready = false;
  for await (const chunk of readChunks(connection, `SELECT "_row"::UINTEGER, hash(${identifier(idField)}) FROM data`)) {
    const hashes = numbersIn(chunk.getColumnVector(1), BigUint64Array);
    ids.enter(new Uint32Array(hashes.buffer, hashes.byteOffset, hashes.length * 2), numbersIn(chunk.getColumnVector(0), Uint32Array));
  }
  ids.ready = true;
};

export type Located = {
  /** The latest row of each id that is there; `pending` where it waits for its deletion. */
  latest: Map<string, { row: number; pending: boolean }>;
  /** Every row of the ids, with the older ones that wait for their deletion. */
  rows: { id: string; row: number; pending: boolean }[];
};

const nothing = (): Located => ({ rows: [], latest: new Map() });

const search = async (
  connection: DuckDBConnection,
  idField: string,
  ids: readonly string[],
  bounds = { from: 0, to: 2 ** 32 },
): Promise<Located> => {
  const id = identifier(idField);
  const rows = await select<Located['rows'][number]>(
    connection,
    `SELECT ${id} AS id, "_row" AS "row", "_row" IN (SELECT "_row" FROM deleted) AS pending FROM data WHERE "_row" BETWEEN ? AND ? AND ${id} IN ${listOfIds} ORDER BY "_row"`,
    [bounds.from, bounds.to, boundIds(ids)],
  );
  return { rows, latest: new Map(rows.map(({ id: each, row, pending }) => [each, { row, pending }])) };
};

const searchCandidates = async (
  dataset: Dataset,
  connection: DuckDBConnection,
  idField: string,
  ids: readonly string[],
  hashes: Hashes,
): Promise<Located> => {
  const { ids: maybe, ...bounds } = dataset.ids.find(hashes);
  if (maybe.length === 0) return nothing();
  return search(
    connection,
    idField,
    maybe.map((at) => ids[at]!),
    bounds,
  );
};

/** Rows of ids, within a read. */
export const locate = async (dataset: Dataset, connection: DuckDBConnection, idField: string, ids: readonly string[]): Promise<Located> =>
  dataset.ids.ready
    ? searchCandidates(dataset, connection, idField, ids, await hashesOf(connection, ids))
    : search(connection, idField, ids);

/** Rows of ids within a write, and the hashes under which new rows of these ids are entered. `idField` null: there are no rows yet. */
export const locateForWrite = async (
  dataset: Dataset,
  connection: DuckDBConnection,
  idField: string | null,
  ids: readonly string[],
): Promise<Located & { hashes: Hashes }> => {
  const hashes = await hashesOf(connection, ids);
  if (idField === null) {
    dataset.ids.reset();
    return { hashes, ...nothing() };
  }
  await fill(dataset, connection, idField);
  return { hashes, ...(await searchCandidates(dataset, connection, idField, ids, hashes)) };
};

/** Numbers of the rows below `end` that hold one of the ids, within a write; with `latestOnly` without those that have a newer row. */
export const rowsForWrite = async (
  dataset: Dataset,
  connection: DuckDBConnection,
  idField: string,
  ids: readonly string[],
  { end, latestOnly }: { end: number; latestOnly: boolean },
): Promise<Uint32Array> => {
  const hashes = await hashesOf(connection, ids);
  await fill(dataset, connection, idField);
  const { ids: maybe, from, to } = dataset.ids.find(hashes);
  if (maybe.length === 0) return new Uint32Array(0);
  return readNumbers(
    connection,
    `SELECT "_row"::UINTEGER FROM data WHERE "_row" BETWEEN ? AND ? AND ${identifier(idField)} IN ${listOfIds} AND (? OR "_row" NOT IN (SELECT "_row" FROM deleted WHERE replaced))`,
    [from, Math.min(to, end - 1), boundIds(maybe.length === ids.length ? ids : maybe.map((at) => ids[at]!)), !latestOnly],
  );
};
