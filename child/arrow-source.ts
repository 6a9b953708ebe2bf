import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { DuckDBDataChunk, type DuckDBConnection } from '@duckdb/node-api';
import { RecordBatchReader, type RecordBatch } from 'apache-arrow';
import type { SourceColumn } from './source.ts';
import { registerCodecs } from './arrow-codecs.ts';
import { refuseBigEndian } from './arrow-schema.ts';
import { arrowColumn, type ArrowColumn } from './arrow-values.ts';
import { identifier } from './sql.ts';
import { BadInput } from './tables.ts';

const chunkRows = 2_048;

registerCodecs();

function checkNames(names: (string | null)[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (!name) throw new BadInput('bad_input', 'has a column without a name');
    if (name.includes('\0')) throw new BadInput('bad_input', 'has a NUL character in a column name');
    if (seen.has(name.toLowerCase())) throw new BadInput('bad_input', `has two columns called '${name}' when case is ignored`);
    seen.add(name.toLowerCase());
  }
}

function* chunks(batch: RecordBatch, columns: ArrowColumn[]): Generator<DuckDBDataChunk> {
  const types = columns.map(({ duck }) => duck);
  for (let from = 0; from < batch.numRows; from += chunkRows) {
    const rows = Math.min(chunkRows, batch.numRows - from);
    const chunk = DuckDBDataChunk.create(types, rows);
    columns.forEach(({ value }, at) => {
      const vector = batch.getChildAt(at);
      chunk.setColumnValues(
        at,
        Array.from({ length: rows }, (_, row) => {
          const found: unknown = vector?.get(from + row);
          return found === null || found === undefined ? null : value(found);
        }),
      );
    });
    yield chunk;
  }
}

/** Loads an Arrow IPC file or stream, batch by batch, as the table `arrow_source`; answers its columns. */
export async function loadArrow(file: string, type: 'arrow-file' | 'arrow-stream', connection: DuckDBConnection): Promise<SourceColumn[]> {
  const handle = await open(file, 'r');
  try {
    await refuseBigEndian(handle, type);
    const reader = await (type === 'arrow-file'
      ? RecordBatchReader.from(handle)
      : RecordBatchReader.from(createReadStream(file, { highWaterMark: 1 << 20 })));
    await reader.open();
    const { fields } = reader.schema;
    checkNames(fields.map(({ name }) => name));
    const columns = fields.map((field) => arrowColumn(field.type));
    await connection.run(
      `create table arrow_source (${fields.map(({ name }, at) => `${identifier(name)} ${columns[at]!.duck.toString()}`).join(', ')})`,
    );
    const appender = await connection.createAppender('arrow_source');
    for await (const batch of reader) for (const chunk of chunks(batch, columns)) appender.appendDataChunk(chunk);
    appender.closeSync();
    return fields.map(({ name }, at) => ({ name, type: columns[at]!.type }));
  } catch (error) {
    if (error instanceof BadInput || !(error instanceof Error)) throw error;
    throw new BadInput('bad_input', `cannot be read as Arrow IPC: ${error.message}`);
  } finally {
    await handle.close().catch(() => undefined);
  }
}
