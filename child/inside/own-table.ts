import type { DuckDBDataChunk } from '@duckdb/node-api';
import { identifier } from '../../text/sql.ts';
import { drop } from './collect-garbage.ts';
import type { Engine } from './engine.ts';
import type { SourceColumn } from './source-column.ts';

/** SQL that makes a table of the schema `own` for columns of these types. */
export const createTable = (table: string, columns: readonly SourceColumn[]): string =>
  `create table own.${identifier(table)} (${columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ')})`;

/** An appender holds 204,800 rows beside DuckDB's memory limit, however long they are: it is emptied after so many bytes. */
const appenderBytes = 16 * 1024 * 1024;

export type OwnAppender = {
  /** Appends rows of about so many bytes. */
  append(chunk: DuckDBDataChunk, bytes: number): void;
  close(): void;
};

/** Appends to a table of the schema `own`. */
export async function openAppender(engine: Engine, table: string): Promise<OwnAppender> {
  const appender = await engine.connection.createAppender(table, 'own');
  let held = 0;
  return {
    append(chunk, bytes) {
      appender.appendDataChunk(chunk);
      drop(bytes);
      held += bytes;
      if (held < appenderBytes) return;
      appender.flushSync();
      held = 0;
    },
    close: () => appender.closeSync(),
  };
}
