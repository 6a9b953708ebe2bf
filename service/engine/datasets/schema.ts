import { identifier } from '../../../text/sql.ts';
import type { ColumnType } from '../../../child/data-column.ts';

/** One column of a dataset; `dimensions` only for `_embeddings`. */
export type StoredColumn = { name: string; type: ColumnType | 'vector'; dimensions: number | null };

/** Where an index build stands; each is committed with the work that reached it. */
const stages = ['Waiting', 'Embedding', 'Indexing', 'Projecting', 'Labeling', 'Completed', 'Failed'] as const;
export type Stage = (typeof stages)[number];

export type IndexRow = {
  index_id: string;
  job_id: string;
  projection_id: string;
  index_name: string | null;
  indexed_field: string | null;
  /** Embedding model as named by the client; null: own vectors or none. */
  model: string | null;
  /** JSON of the request, for what readers echo. */
  options: string;
  /** Dimensions of the vectors; null for random coordinates. */
  dimensions: number | null;
  stage: Stage;
  /** Points of the map. */
  rows: number;
  /** The map covers the rows of `data` with `_row` below this; a deletion leaves holes, so `rows` may be less. */
  next_row: number;
  /** Rows embedded so far; `kept` of them before the build that is under way. */
  embedded: number;
  kept: number;
  error: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

/**
 * `data` has one row per `_row`, which grows and is never given twice. `deleted`: rows that wait for their deletion to be
 * committed; `replaced` ones have a new row under their id and show in the maps that hold them alone. `additions`: the rows that
 * an addition of the journal (`seq`) gave their places.
 */
export const TABLES = `
CREATE TABLE IF NOT EXISTS state (rows BIGINT NOT NULL, next_row BIGINT NOT NULL, checkpoint BIGINT NOT NULL, added_at DOUBLE, id_field VARCHAR);
CREATE TABLE IF NOT EXISTS columns (position INTEGER NOT NULL, name VARCHAR NOT NULL, type VARCHAR NOT NULL, dimensions INTEGER);
CREATE TABLE IF NOT EXISTS indices (index_id VARCHAR NOT NULL, job_id VARCHAR NOT NULL, projection_id VARCHAR NOT NULL, index_name VARCHAR, indexed_field VARCHAR, model VARCHAR, options VARCHAR NOT NULL,
  dimensions INTEGER, stage VARCHAR NOT NULL, rows BIGINT NOT NULL, next_row BIGINT NOT NULL, embedded BIGINT NOT NULL, kept BIGINT NOT NULL, error VARCHAR, created_at VARCHAR NOT NULL, started_at VARCHAR, ended_at VARCHAR);
CREATE TABLE IF NOT EXISTS axes (index_id VARCHAR NOT NULL, axes VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS labelled (index_id VARCHAR NOT NULL, topic_depths INTEGER NOT NULL, duplicates BOOLEAN NOT NULL);
CREATE TABLE IF NOT EXISTS topic_models (index_id VARCHAR NOT NULL, model VARCHAR NOT NULL, names VARCHAR);
CREATE TABLE IF NOT EXISTS topics (index_id VARCHAR NOT NULL, topic INTEGER NOT NULL, depth INTEGER NOT NULL, parent INTEGER, short VARCHAR NOT NULL, description VARCHAR NOT NULL, points BIGINT NOT NULL, x FLOAT NOT NULL, y FLOAT NOT NULL);
CREATE TABLE IF NOT EXISTS resources (position BIGINT NOT NULL, id VARCHAR NOT NULL, kind VARCHAR NOT NULL, params VARCHAR NOT NULL, upstream VARCHAR NOT NULL, status VARCHAR NOT NULL, result VARCHAR, error VARCHAR);
CREATE TABLE IF NOT EXISTS tags (tag_id VARCHAR NOT NULL, projection_id VARCHAR NOT NULL, tag_name VARCHAR NOT NULL);
ALTER TABLE tags ADD COLUMN IF NOT EXISTS definition_id VARCHAR;
ALTER TABLE tags ADD COLUMN IF NOT EXISTS dsl_rule VARCHAR;
ALTER TABLE tags ADD COLUMN IF NOT EXISTS user_id VARCHAR;
ALTER TABLE tags ADD COLUMN IF NOT EXISTS incomplete BOOLEAN DEFAULT false;
CREATE TABLE IF NOT EXISTS tagged (tag_id VARCHAR NOT NULL, "_row" BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS deleted ("_row" BIGINT NOT NULL, replaced BOOLEAN NOT NULL);
CREATE TABLE IF NOT EXISTS uploads (upload_id VARCHAR NOT NULL, object_id VARCHAR NOT NULL, added BIGINT NOT NULL, checkpoint BIGINT NOT NULL, added_at DOUBLE);
ALTER TABLE uploads ADD COLUMN IF NOT EXISTS blob_hash VARCHAR;
CREATE TABLE IF NOT EXISTS journal (seq BIGINT NOT NULL, "at" DOUBLE NOT NULL, request_id VARCHAR NOT NULL, operation VARCHAR NOT NULL, subject VARCHAR NOT NULL, act VARCHAR NOT NULL, intent VARCHAR NOT NULL, changed BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS additions (seq BIGINT NOT NULL, intent VARCHAR NOT NULL, first_row BIGINT NOT NULL, end_row BIGINT NOT NULL, surplus BIGINT NOT NULL);
INSERT INTO state (rows, next_row, checkpoint) SELECT 0, 0, 0 WHERE NOT EXISTS (FROM state);`;

const sqlTypes: Record<ColumnType, string> = { int32: 'INTEGER', float32: 'FLOAT', timestamp: 'TIMESTAMP_MS', string: 'VARCHAR' };

/** Type of a column in the dataset's file. */
export const sqlType = ({ type, dimensions }: StoredColumn): string => (type === 'vector' ? `FLOAT[${dimensions}]` : sqlTypes[type]);

/** Tables of one index: its vectors, the positions of its map, the topics of its points and their duplicates. */
export const vectorsTable = (indexId: string): string => identifier(`vectors ${indexId}`);
export const positionsTable = (indexId: string): string => identifier(`positions ${indexId}`);
export const topicsTable = (indexId: string): string => identifier(`topics ${indexId}`);
export const duplicatesTable = (indexId: string): string => identifier(`duplicates ${indexId}`);

/** Every table of an index that has a row for each of its points. */
export const tablesOf = (indexId: string): string[] =>
  [vectorsTable, positionsTable, topicsTable, duplicatesTable].map((table) => table(indexId));

/** What the points of an index were given beside their places: at how many depths they have topics, and whether their duplicates are known. */
export type Labelled = { index_id: string; topic_depths: number; duplicates: boolean };

/** Column of the topics of a depth, from 1 on: what public viewers look for. */
export const topicColumn = (depth: number): StoredColumn => ({ name: `_topic_depth_${depth}_int`, type: 'int32', dimensions: null });
export const duplicateColumns: readonly StoredColumn[] = [
  { name: '_duplicate_class_0', type: 'string', dimensions: null },
  { name: '_cluster_0', type: 'int32', dimensions: null },
];

export const isBuilding = ({ stage }: Pick<IndexRow, 'stage'>): boolean => stage !== 'Completed' && stage !== 'Failed';
