import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromArrays, tableToIPC } from 'apache-arrow';

export const formats = ['csv', 'json', 'parquet', 'arrow'] as const;

/** Rows of a dataset: those from `from`, `count` of them; the first `changed` of them in another version. */
export type TableSpec = {
  name: string;
  format: (typeof formats)[number];
  from: number;
  count: number;
  changed: number;
  version: number;
  /** Length of the note of a row: by it shards are full by their bytes, not by their rows. */
  note: number;
};

const words = ['ship', 'harbour', 'storm', 'bread'];

/** Writes the table into a folder; its path. */
export async function writeTable(folder: string, { name, format, from, count, changed, version, note }: TableSpec): Promise<string> {
  const path = join(folder, `${name}.${format}`);
  if (format === 'arrow') {
    const rows = Array.from({ length: count }, (_, at) => from + at);
    const table = tableFromArrays({
      key: rows.map((at) => `row-${at}`),
      text: rows.map((at, place) => `${words[at % 4]} ${at}${place < changed ? ` version ${version}` : ''}`),
      year: Int32Array.from(rows, (at) => 1900 + (at % 120)),
      note: rows.map((at) => String(at % 10).repeat(note)),
    });
    await writeFile(path, tableToIPC(table, 'file'));
    return path;
  }
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(
      `copy (select 'row-' || n as key, ['${words.join("','")}'][1 + n % 4] || ' ' || n || case when n < ${from + changed} then ' version ${version}' else '' end as text,
       (1900 + n % 120)::integer as year, repeat((n % 10)::varchar, ${note}) as note from (select unnest(range(${from}, ${from + count}))::integer as n)) to '${path}'`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return path;
}
