import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../../errors/classes.ts';
import { identifier, literal } from '../../../text/sql.ts';
import { idColumns, type IdColumns } from '../../id-columns.ts';
import { writeFolder } from '../../partial-folder.ts';
import type { ChildContext } from '../../protocol.ts';
import type { ListedRows, ListRowsRequest } from '../../tables.ts';
import { drop } from '../collect-garbage.ts';
import { judged } from '../duck-error.ts';
import { runWithProgress } from '../run-with-progress.ts';
import type { SourceColumn } from '../source-column.ts';
import { readSource, type Source } from '../source.ts';
import { stableText } from './column-types.ts';
import { exactJson } from './exact-json.ts';

/** Bytes of a part after which another one begins, however few its rows are: a chunk of them is held in memory. */
const mostBytes = 8 * 1024 * 1024;

/** Rows that are made JSON at a time: at most so many, and of so many bytes. DuckDB sets aside some ten times the length of what it writes. */
const slice = { rows: 4_096, bytes: 4 * 1024 * 1024 };

/** Columns of `own.listed`: their own names would hide `rowid`. */
const placed = (at: number): string => `c${at}`;

/** The name of a row as it was given, null where rows are named by their place. */
function keyOf(columns: readonly SourceColumn[], key: string | undefined): string {
  const at = columns.findIndex(({ name }) => name === key);
  return at < 0 ? 'null::varchar' : stableText(placed(at), columns[at]!.type);
}

const rowJson = (columns: readonly SourceColumn[]): string =>
  `to_json({${columns.map(({ name }, at) => `${literal(name)}: ${placed(at)}`).join(', ')}})::varchar`;

/** Source → parts of its rows in `into`, which appears whole or not at all. */
export const listRows = (request: ListRowsRequest, context: ChildContext): Promise<ListedRows> =>
  readSource(
    request.source,
    context,
    (source) =>
      writeFolder(request.into, async (folder) => {
        const rows = await load(source, request, context);
        const parts = await cut(source, rows, request, folder, context);
        return { source: { bytes: source.bytes, sha256: await source.sha256() }, rows, parts };
      }),
    { ids: idsOf(request) },
  );

const idsOf = ({ key, ids = [] }: ListRowsRequest): IdColumns => (ids === 'all' ? ids : [...ids, ...idColumns(key, undefined)]);

/** Loads the rows as `own.listed`, in their order; spilled to disk beyond the memory limit. */
async function load(source: Source, { key }: ListRowsRequest, context: ChildContext): Promise<number> {
  const { engine, columns, relation, name } = source;
  if (key !== undefined && !columns.some((column) => column.name === key))
    throw new BadInput('bad_input', `${name}: has no column '${key}'; it has ${columns.map((column) => column.name).join(', ')}`);
  const copied = columns.map(({ name: column }, at) => `${identifier(column)} as ${placed(at)}`).join(', ');
  const bytes = columns.map(({ name: column }) => `coalesce(strlen(${identifier(column)}::varchar), 0)`).join(' + ');
  await judged(name, () =>
    runWithProgress(engine, `create table own.listed as select ${copied}, ${bytes} as bytes from ${relation}`, (_, rows) =>
      context.progress(rows, 'reading'),
    ),
  );
  if (key !== undefined) await refuseRepeated(source, key);
  const [counted] = await engine.rows('select count(*)::double as n from own.listed');
  return Number(counted!['n']);
}

/** What was done for a row is known by its name. */
async function refuseRepeated({ engine, name, columns }: Source, key: string): Promise<void> {
  const named = `(select ${keyOf(columns, key)} as key, rowid as place from own.listed)`;
  const [none] = await engine.rows(`select place::double as place from ${named} where coalesce(key, '') = '' limit 1`);
  if (none) throw new BadInput('bad_input', `${name}: row ${Number(none['place'])} has no '${key}', by which rows are named`);
  // By hash first, which is all that is held of the many names that stand there once.
  const [twice] = await engine.rows(
    `select key from ${named} where hash(key) in (select hash(key) as h from ${named} group by h having count(*) > 1)
     group by key having count(*) > 1 limit 1`,
  );
  if (twice)
    throw new BadInput('bad_input', `${name}: two rows are named '${String(twice['key'])}' by '${key}'; take a column whose values differ`);
}

/** How many rows from a place are made JSON at once. */
async function sliceAt({ engine }: Source, from: number): Promise<number> {
  const sizes = await engine.rows(
    `select bytes::double as bytes from own.listed where rowid between ${from} and ${from + slice.rows - 1} order by rowid`,
  );
  let bytes = 0;
  const tooMany = sizes.findIndex((row) => (bytes += Number(row['bytes'])) > slice.bytes);
  return tooMany < 0 ? slice.rows : Math.max(1, tooMany);
}

async function cut(
  source: Source,
  rows: number,
  { key: by, parts: wanted, leastRows, mostRows }: ListRowsRequest,
  folder: string,
  context: ChildContext,
): Promise<ListedRows['parts']> {
  const { engine, name, columns } = source;
  const select = `select ${keyOf(columns, by)}, ${rowJson(columns)} from own.listed`;
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
  for (let from = 0; from < rows;) {
    const size = await sliceAt(source, from);
    const read = await judged(name, () =>
      engine.connection.runAndReadAll(`${select} where rowid between ${from} and ${from + size - 1} order by rowid`),
    );
    for (const [at, [key, row]] of (read.getRows() as [string | null, string][]).entries()) {
      if (lines.length === perPart || bytes >= mostBytes) await flush();
      const line = `[${JSON.stringify(key ?? String(from + at))},${exactJson(row)}]\n`;
      lines.push(line);
      bytes += Buffer.byteLength(line);
    }
    from += size;
    context.progress(Math.min(rows, from), 'listing');
  }
  if (lines.length > 0) await flush();
  return parts;
}
