import type { DuckDBConnection } from '@duckdb/node-api';
import { projectInThread } from '../projection/in-thread.ts';
import type { PlaceModel, ProjectionRequest } from '../projection/in-thread.ts';
import { sampleRows } from '../projection/project.ts';
import { umapSettings } from '../projection/settings.ts';
import { appendColumns, readChunks, readNumbers, readVectors } from './chunks.ts';
import { select } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { listOfRows } from './ids.ts';
import { vectorSource } from './indices.ts';
import { positionsTable } from './schema.ts';
import { numbersIn } from '../../../child/vector-memory.ts';
import type { IndexRow } from './schema.ts';

/** Bytes of vectors that are in memory at a time on their way to the thread. */
const BATCH_BYTES = 16 * 1_024 * 1_024;

/** Rows that are written between two tellings of how far the placing is. */
const TOLD_ROWS = 200_000;

/** Share of the placing that is done, by index, of those under way. Not kept: after a restart it begins anew. */
const shares = new Map<string, number>();
export const placedShare = (indexId: string): number => shares.get(indexId) ?? 0;

type Kept = { rows: Uint32Array; xy: Float32Array };

const hasPositions = async (connection: DuckDBConnection, { index_id }: IndexRow): Promise<boolean> => {
  const [found] = await select<{ count: number }>(connection, 'SELECT count(*) AS count FROM duckdb_tables() WHERE table_name = ?', [
    `positions ${index_id}`,
  ]);
  return found!.count > 0;
};

const keptOf = async (connection: DuckDBConnection, index: IndexRow): Promise<Kept> => {
  const table = positionsTable(index.index_id);
  const [count] = await select<{ rows: number }>(connection, `SELECT count(*) AS rows FROM ${table}`);
  const rows = new Uint32Array(count!.rows);
  const xy = new Float32Array(count!.rows * 2);
  let at = 0;
  for await (const chunk of readChunks(connection, `SELECT "_row"::UINTEGER, x, y FROM ${table} ORDER BY "_row"`)) {
    const [x, y] = [numbersIn(chunk.getColumnVector(1), Float32Array), numbersIn(chunk.getColumnVector(2), Float32Array)];
    rows.set(numbersIn(chunk.getColumnVector(0), Uint32Array), at);
    for (let row = 0; row < chunk.rowCount; row += 1) {
      xy[(at + row) * 2] = x[row]!;
      xy[(at + row) * 2 + 1] = y[row]!;
    }
    at += chunk.rowCount;
  }
  return { rows, xy };
};

const axesOf = async (connection: DuckDBConnection, { index_id }: IndexRow): Promise<PlaceModel | undefined> => {
  const [found] = await select<{ axes: string }>(connection, 'SELECT axes FROM axes WHERE index_id = ?', [index_id]);
  return found && (JSON.parse(found.axes) as PlaceModel);
};

/**
 * Places the rows that an index covers: those that have a place keep it, new ones are put on the same axes, among the nearest of
 * a map by UMAP, or at random coordinates of their own, and the tiles are dealt anew. Commits positions, axes and the next stage in one transaction.
 */
export const placeRows = async (dataset: Dataset, index: IndexRow, signal: AbortSignal): Promise<void> => {
  shares.set(index.index_id, 0);
  try {
    await place(dataset, index, signal);
  } finally {
    shares.delete(index.index_id);
  }
};

const place = async (dataset: Dataset, index: IndexRow, signal: AbortSignal): Promise<void> => {
  const { index_id, next_row, dimensions } = index;
  const source = vectorSource(index);
  const { kept, fresh, fit } = await dataset.read(async (connection) => {
    const axes = await axesOf(connection, index);
    // Without the axes of its points a map of vectors is placed anew.
    const stays = (dimensions === null || axes) && (await hasPositions(connection, index));
    const places: Kept = stays ? await keptOf(connection, index) : { rows: new Uint32Array(0), xy: new Float32Array(0) };
    const from = (places.rows.at(-1) ?? -1) + 1;
    const rows = await readNumbers(connection, `SELECT "_row"::UINTEGER FROM data WHERE "_row" >= ? AND "_row" < ? ORDER BY "_row"`, [
      from,
      next_row,
    ]);
    const sample = async (): Promise<Float32Array> => {
      const picked = Array.from(sampleRows(rows.length), (at) => rows[at]!);
      return readVectors(connection, `SELECT ${source.column} FROM ${source.table} WHERE "_row" IN ${listOfRows} ORDER BY "_row"`, [
        JSON.stringify(picked),
      ]);
    };
    return { kept: places, fresh: rows, fit: dimensions === null ? null : (axes ?? (await sample())) };
  });

  shares.set(index_id, 0.2);
  const vectors = async function* (): AsyncGenerator<Float32Array, void, undefined> {
    const size = Math.max(1, Math.floor(BATCH_BYTES / (dimensions! * 4)));
    for (let at = 0; at < fresh.length; at += size) {
      const [first, last] = [fresh[at]!, fresh[Math.min(at + size, fresh.length) - 1]!];
      yield await dataset.read((connection) =>
        readVectors(connection, `SELECT ${source.column} FROM ${source.table} WHERE "_row" BETWEEN ? AND ? ORDER BY "_row"`, [first, last]),
      );
    }
  };
  const request: ProjectionRequest = {
    kept: kept.xy,
    points: fresh.length,
    // A build starts from the index's own seed; later points go on from where it ended.
    from:
      fit === null
        ? { seed: kept.rows.length === 0 ? index_id : `${index_id}/${fresh[0] ?? 0}` }
        : { fit, dims: dimensions!, umap: umapSettings(index.options) },
  };
  const { xy, tix, rix, axes } = await projectInThread(request, vectors(), {
    signal,
    report: (share) => shares.set(index_id, 0.2 + 0.2 * share),
  });

  shares.set(index_id, 0.4);
  const count = tix.length;
  const rows = new Uint32Array(count);
  rows.set(kept.rows);
  rows.set(fresh, kept.rows.length);
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (let row = 0; row < count; row += 1) {
    x[row] = xy[row * 2]!;
    y[row] = xy[row * 2 + 1]!;
  }
  await dataset.write(async (connection) => {
    await connection.run(
      `CREATE OR REPLACE TABLE ${positionsTable(index_id)} ("_row" BIGINT NOT NULL, x FLOAT NOT NULL, y FLOAT NOT NULL, tix UINTEGER NOT NULL, rix UINTEGER NOT NULL)`,
    );
    for (let from = 0; from < count; from += TOLD_ROWS) {
      const to = Math.min(count, from + TOLD_ROWS);
      await appendColumns(
        connection,
        `positions ${index_id}`,
        [
          { kind: 'bigint', values: rows.subarray(from, to) },
          { kind: 'float', values: x.subarray(from, to) },
          { kind: 'float', values: y.subarray(from, to) },
          { kind: 'unsigned', values: tix.subarray(from, to) },
          { kind: 'unsigned', values: rix.subarray(from, to) },
        ],
        to - from,
      );
      shares.set(index_id, 0.4 + 0.6 * (to / count));
    }
    await connection.run('DELETE FROM axes WHERE index_id = ?', [index_id]);
    if (axes) await connection.run('INSERT INTO axes VALUES (?, ?)', [index_id, JSON.stringify(axes)]);
    // With the positions, so that a kill between the two repeats nothing.
    await connection.run("UPDATE indices SET stage = 'Labeling' WHERE index_id = ?", [index_id]);
  });
};
