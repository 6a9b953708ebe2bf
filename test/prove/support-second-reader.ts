import { readFile, rm } from 'node:fs/promises';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { familyOf } from '../../child/inside/rows/column-types.ts';
import type { RejectedRow, Tables } from '../../child/tables.ts';
import type { ColumnType } from '../../child/data-column.ts';
import { castAll } from './support-corpus.ts';

/** Types of a dataset's column; own vectors are not among what is compared. */
type Held = Exclude<ColumnType, 'vector'>;

/** A table of plain values, by row and column. */
export type Table = {
  columns: { name: string; type: string; as: Held }[];
  /** Rows of the file, refused ones among them. */
  inAll: number;
  rows: Map<number, (string | number | null)[]>;
};

const mostRows = 5_000;

/** What our own reading makes of a file: the values of its shards, by the row of the file (from 1). Refused rows are left out. */
export async function ourTable(tables: Tables, path: string, into: string): Promise<Table> {
  const { columns } = await tables.inspect(path);
  const result = await tables.shard({
    source: path,
    id: { row: true },
    columns: castAll(columns),
    into,
    projectId: 'project-1',
    idField: 'id_',
    maxRows: mostRows,
    maxBytes: 16_000_000,
  });
  const rejects = (await readFile(result.rejectsFile, 'utf8')).split('\n').filter(Boolean);
  const refused = new Set(rejects.map((line) => (JSON.parse(line) as RejectedRow).row));
  const held = result.columns.slice(1);
  const rows = new Map<number, (string | number | null)[]>();
  let place = 0;
  for (const { file } of result.shards)
    for (const row of (await tables.readShard(file)).rows) {
      place += 1;
      while (refused.has(place)) place += 1;
      if (place <= mostRows)
        rows.set(
          place,
          held.map(({ name }) => row[name] as string | number | null),
        );
    }
  await rm(into, { recursive: true, force: true });
  return { columns: columns.map(({ name, type }, at) => ({ name, type, as: held[at]!.type as Held })), inAll: result.rows, rows };
}

/** Types whose values both readers can be asked for in the same words. */
const comparable = (type: string): boolean =>
  /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*|VARCHAR|BOOLEAN|BLOB|DATE|TIMESTAMP(_MS|_S| WITH TIME ZONE)?)$/.test(
    type,
  );

/** What a dataset holds of a value of the second reader; undefined where the two cannot be compared. */
function expected(value: unknown, type: string, as: Held): string | number | null | undefined {
  if (value === null || value === undefined) return as === 'string' ? 'null' : null;
  if (type === 'BOOLEAN') return typeof value === 'boolean' ? String(value) : undefined;
  if (type === 'BLOB') return value instanceof Uint8Array ? Buffer.from(value).toString('hex').toUpperCase() || 'null' : undefined;
  if (as === 'timestamp') return value instanceof Date ? value.getTime() : undefined;
  if (as === 'float32') return Math.fround(Number(value));
  if (as === 'int32') return Number(value);
  return typeof value === 'string'
    ? value || 'null'
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('utf8') || 'null'
      : undefined;
}

export type Compared = { cells: number; skipped: number; wrong: string[] };

/** Compares cell by cell. `theirs` returns the value of a row (from 1) and column, undefined where it has none to compare. */
function compare(ours: Table, theirs: (row: number, column: number) => string | number | null | undefined): Compared {
  const result: Compared = { cells: 0, skipped: 0, wrong: [] };
  for (const [row, values] of ours.rows)
    values.forEach((value, at) => {
      const other = theirs(row, at);
      if (other === undefined) result.skipped += 1;
      else {
        result.cells += 1;
        const close = typeof value === 'number' && typeof other === 'number' && Math.abs(value - other) <= Math.abs(other) * 1e-6;
        if (value !== other && !close && !(value === null && Number.isNaN(other)))
          result.wrong.push(`row ${row}, ${ours.columns[at]!.name}: ${JSON.stringify(value)}, the other reader ${JSON.stringify(other)}`);
      }
    });
  return result;
}

/** Compares with hyparquet; undefined where that reader cannot open the file. */
export async function compareParquet(ours: Table, path: string): Promise<Compared | undefined> {
  const file = await asyncBufferFromFile(path);
  const rows = await parquetReadObjects({ file, compressors, utf8: false, rowEnd: mostRows }).catch(() => undefined);
  if (!rows) return undefined;
  return compare(ours, (row, at) => {
    const { name, type, as } = ours.columns[at]!;
    const record = rows[row - 1];
    return record && name in record && comparable(type) ? expected(record[name], type, as) : undefined;
  });
}

/** RFC 4180: fields between delimiters, quoted ones with doubled quotes. Undefined where the text is not that. */
export function parseCsv(text: string, delimiter: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const body = text.replace(/^\uFEFF/, '');
  while (at < body.length) {
    let field = '';
    if (body[at] === '"') {
      at += 1;
      for (; body[at] !== '"' || body[at + 1] === '"'; at += 1) {
        if (at >= body.length) return undefined;
        if (body[at] === '"') at += 1;
        field += body[at];
      }
      at += 1;
    } else
      for (; at < body.length && body[at] !== delimiter && body[at] !== '\n' && body[at] !== '\r'; at += 1) {
        if (body[at] === '"') return undefined;
        field += body[at];
      }
    row.push(field);
    if (body[at] === delimiter) {
      at += 1;
      if (at < body.length) continue;
      row.push('');
    } else if (at < body.length) {
      if (body[at] === '\r') at += 1;
      if (body[at] !== '\n') return undefined;
      at += 1;
    }
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The text as rows of equal width, by the one delimiter with which it has several columns. */
function csvRows(text: string): string[][] | undefined {
  // A backslash may be an escape: RFC 4180 knows none, so such a file has two readings.
  if (text.includes('\\')) return undefined;
  const readings = [',', ';', '\t', '|'].flatMap((delimiter) => {
    const rows = parseCsv(text, delimiter);
    const width = rows?.[0]?.length ?? 0;
    return rows && width > 1 && rows.every((row) => row.length === width) ? [rows] : [];
  });
  return readings.length === 1 ? readings[0] : undefined;
}

const isoTime = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/;

/** What a dataset holds of a field's text. */
function expectedText(field: string, type: string, as: Held): string | number | null | undefined {
  if (type === 'VARCHAR') return field === '' ? 'null' : field;
  const text = field.trim();
  if (as === 'timestamp')
    return text === '' ? null : isoTime.test(text) ? Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`) : undefined;
  if (type === 'BOOLEAN') return /^(true|false)$/i.test(text) ? text.toLowerCase() : text === '' ? 'null' : undefined;
  if (!familyOf(type) || as === 'string') return undefined;
  return text === '' ? null : as === 'float32' ? Math.fround(Number(text)) : Number(text);
}

/** Compares with a parser of RFC 4180; undefined where the text is not that, or has more than one reading. */
export async function compareCsv(ours: Table, path: string): Promise<Compared | undefined> {
  const rows = csvRows(await readFile(path, 'utf8'));
  // A header without a name is as good as a row without a value.
  if (!rows || rows[0]!.length !== ours.columns.length || rows[0]!.every((field) => field === '')) return undefined;
  const header = rows[0]!.every((name, at) => ours.columns[at]!.name.trim() === name.trim()) ? 1 : 0;
  if (header === 0 && !ours.columns.every(({ name }) => /^column\d+$/.test(name))) return undefined;
  return compare(ours, (row, at) => {
    const field = rows[row - 1 + header]?.[at];
    const { type, as } = ours.columns[at]!;
    return field === undefined ? undefined : expectedText(field, type, as);
  });
}
