import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../../errors/classes.ts';
import { identifier, literal } from '../../../text/sql.ts';
import { writeFolder } from '../../partial-folder.ts';
import type { ChildContext } from '../../protocol.ts';
import type { ListedRows, ListRowsRequest } from '../../tables.ts';
import { drop } from '../collect-garbage.ts';
import { judged } from '../duck-error.ts';
import { runWithProgress } from '../run-with-progress.ts';
import type { SourceColumn } from '../source-column.ts';
import { readSource, type Source } from '../source.ts';

/** Bytes of a part after which another one begins, however few its rows are: a chunk of them is held in memory. */
const mostBytes = 8 * 1024 * 1024;

/** Rows that are held in JavaScript at a time. */
const rowsAtOnce = 1_024;

const wide = /^U?(BIGINT|HUGEINT)$/;

/** A value as JSON loses nothing: whole numbers that JSON has not become texts, numbers that are none become nulls. */
function jsonValue({ name, type }: SourceColumn): string {
  const column = identifier(name);
  if (wide.test(type))
    return `case when ${column} between -9007199254740991 and 9007199254740991 then to_json(${column}) else to_json(${column}::varchar) end`;
  return type === 'DOUBLE' || type === 'FLOAT' ? `case when isfinite(${column}) then ${column} end` : column;
}

const rowJson = (columns: readonly SourceColumn[]): string =>
  `to_json({${columns.map((column) => `${literal(column.name)}: ${jsonValue(column)}`).join(', ')}})::varchar`;

/** Source → parts of its rows in `into`, which appears whole or not at all. */
export const listRows = (request: ListRowsRequest, context: ChildContext): Promise<ListedRows> =>
  readSource(request.source, context, (source) =>
    writeFolder(request.into, async (folder) => {
      const rows = await load(source, request, context);
      const parts = await cut(source, rows, request, folder, context);
      return { source: { bytes: source.bytes, sha256: await source.sha256() }, rows, parts };
    }),
  );

/** Loads the rows as `own.listed`, in their order; spilled to disk beyond the memory limit. */
async function load(source: Source, { key }: ListRowsRequest, context: ChildContext): Promise<number> {
  const { engine, columns, relation, name } = source;
  if (key !== undefined && !columns.some((column) => column.name === key))
    throw new BadInput('bad_input', `${name}: has no column '${key}'; it has ${columns.map((column) => column.name).join(', ')}`);
  const named = key === undefined ? 'null::varchar' : `${identifier(key)}::varchar`;
  await judged(name, () =>
    runWithProgress(engine, `create table own.listed as select ${named} as key, ${rowJson(columns)} as row from ${relation}`, (_, rows) =>
      context.progress(rows, 'reading'),
    ),
  );
  if (key !== undefined) await refuseRepeated(source, key);
  const [counted] = await engine.rows('select count(*)::double as n from own.listed');
  return Number(counted!['n']);
}

/** What was done for a row is known by its name. */
async function refuseRepeated({ engine, name }: Source, key: string): Promise<void> {
  const [none] = await engine.rows("select rowid::double as place from own.listed where coalesce(key, '') = '' limit 1");
  if (none) throw new BadInput('bad_input', `${name}: row ${Number(none['place'])} has no '${key}', by which rows are named`);
  // By hash first, which is all that is held of the many names that stand there once.
  const [twice] = await engine.rows(
    `select key from own.listed where hash(key) in (select hash(key) as h from own.listed group by h having count(*) > 1)
     group by key having count(*) > 1 limit 1`,
  );
  if (twice)
    throw new BadInput('bad_input', `${name}: two rows are named '${String(twice['key'])}' by '${key}'; take a column whose values differ`);
}

async function cut(
  { engine, name }: Source,
  rows: number,
  { parts: wanted, leastRows, mostRows }: ListRowsRequest,
  folder: string,
  context: ChildContext,
): Promise<ListedRows['parts']> {
  const perPart = Math.min(mostRows, Math.max(leastRows, Math.ceil(rows / wanted)));
  const parts: ListedRows['parts'] = [];
  let lines: string[] = [];
  let bytes = 0;
  let first = 0;
  const flush = async (): Promise<void> => {
    const file = `part-${String(parts.length).padStart(5, '0')}.jsonl`;
    await using part = await open(join(folder, file), 'w');
    await part.writeFile(lines.join(''));
    await part.sync();
    parts.push({ file, first, rows: lines.length });
    first += lines.length;
    lines = [];
    drop(bytes);
    bytes = 0;
  };
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const read = await judged(name, () =>
      engine.connection.runAndReadAll(
        `select key, row from own.listed where rowid between ${from} and ${from + rowsAtOnce - 1} order by rowid`,
      ),
    );
    for (const [at, [key, row]] of (read.getRows() as [string | null, string][]).entries()) {
      if (lines.length === perPart || bytes >= mostBytes) await flush();
      const line = `[${JSON.stringify(key ?? String(from + at))},${row}]\n`;
      lines.push(line);
      bytes += Buffer.byteLength(line);
    }
    context.progress(Math.min(rows, from + rowsAtOnce), 'listing');
  }
  if (lines.length > 0) await flush();
  return parts;
}
