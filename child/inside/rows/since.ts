import { open, readFile } from 'node:fs/promises';
import { refuse } from './refuse.ts';
import { BadInput } from '../../../errors/classes.ts';
import { identifier } from '../../../text/sql.ts';
import { markNumber, markOf } from '../../../text/mark.ts';
import type { NamedMark, ReadSince, SinceColumn, WrongMark } from '../../tables.ts';
import { judged } from '../duck-error.ts';
import type { Source } from '../source.ts';
import type { BoundColumn } from './columns.ts';
import { familyOf, timeOf } from './column-types.ts';
import { rowKey } from './row-key.ts';

/** What the column of a mark holds, and the select items of `loaded` that are made of it: `mark`, and `unmarked` where a value is no mark. */
export type MarkColumn = { column: string; kind: 'time' | 'number'; mapped: string[] };

/** The column by which rows are new: one of the source, else one made under `columns`. A text is read as a time. */
export function markColumn(column: string, bound: readonly BoundColumn[], source: Source): MarkColumn {
  const own = source.columns.find(({ name }) => name === column);
  const made = bound.find(({ name }) => name === column);
  const names = source.columns.map(({ name }) => name).slice(0, 20);
  if (!own && !made) return refuse(source, `since: there is no column '${column}'; the source has ${names.join(', ')}`);
  const { sql, type } = own ? { sql: identifier(column), type: own.type } : made!;
  const family = familyOf(type);
  const unfit = typeProblem(column, type);
  if (unfit !== undefined) return refuse(source, `since: ${unfit}`);
  const value = type === 'VARCHAR' ? `nullif(${sql}, '')` : sql;
  const mark = family === 'integer' ? `try_cast(${value} as hugeint)` : micros(value, type);
  const unmarked = `case when ${value} is not null and (${mark}) is null then left((${value})::varchar, 60) end`;
  return { column, kind: family === 'integer' ? 'number' : 'time', mapped: [`${mark} as mark`, `${unmarked} as unmarked`] };
}

/** Why a column of a type holds no marks. */
const typeProblem = (column: string, type: string): string | undefined =>
  ['integer', 'time'].includes(familyOf(type) ?? '') || type === 'VARCHAR'
    ? undefined
    : `column '${column}' is ${type}; a mark is a whole number, a date or a time`;

const valueProblem = ({ column, kind }: MarkColumn, value: unknown, source: Source): string => {
  const problem = `${column} is ${JSON.stringify(value)}, which is no ${kind === 'time' ? 'time of the years 1 to 9999' : 'whole number'}`;
  // Under its own name the column of the source would be taken still.
  const isOwn = source.columns.some(({ name }) => name === column);
  const make = isOwn ? 'make one of it under columns:, by another name' : 'make it one under columns:';
  const hint = isOwn ? source.tables.flatMap(({ hints }) => hints ?? []).find((each) => each.column === column) : undefined;
  return hint ? `${problem}: ${hint.message}` : `${problem}; ${make}, or take another column`;
};

/** Why a column of marks has no overlap of this kind. */
const overlapProblem = (
  { column, kind }: Pick<MarkColumn, 'column' | 'kind'>,
  overlap: MarkColumn['kind'] | undefined,
): string | undefined =>
  overlap === undefined || overlap === kind
    ? undefined
    : `column '${column}' holds ${kind}s, so its overlap is ${kind === 'time' ? 'a duration such as 1h' : 'a whole number'}`;

/**
 * Why rows are not new by a column of the source, or one made of it, if it is there: its type, or, where they are looked at, a value; or
 * what is wrong with the overlap.
 */
export async function markProblem(
  source: Source,
  { column, overlap }: NamedMark,
  bound: readonly BoundColumn[],
  values: boolean,
): Promise<WrongMark | undefined> {
  const found = [...source.columns, ...bound].find(({ name }) => name === column);
  if (!found) return undefined;
  const unfit = typeProblem(column, found.type);
  if (unfit !== undefined) return { field: 'column', message: unfit };
  const mark = markColumn(column, bound, source);
  const misfit = overlapProblem(mark, overlap);
  if (misfit !== undefined) return { field: 'overlap', message: misfit };
  const wrong = values ? await wrongValue(source, mark) : undefined;
  return wrong === undefined ? undefined : { field: 'column', message: wrong };
}

/** The first value of a column that is no mark, or why the column cannot be made. */
async function wrongValue(source: Source, mark: MarkColumn): Promise<string | undefined> {
  const { column } = mark;
  try {
    const [wrong] = await judged(source.name, () =>
      source.engine.rows(
        `select unmarked from (select ${mark.mapped.join(', ')} from ${source.relation}) where unmarked is not null limit 1`,
      ),
    );
    return wrong && valueProblem(mark, wrong['unmarked'], source);
  } catch (error) {
    // What a made column cannot be made of is said of the column, beside what else is found.
    const made = !source.columns.some(({ name }) => name === column);
    if (!made || !(error instanceof BadInput) || error.verdict !== 'bad_input') throw error;
    return `${column} cannot be made: ${error.message}`;
  }
}

/** Microseconds since the epoch. */
function micros(value: string, type: string): string {
  const time = timeOf(value, type);
  return `case when ${time} between '0001-01-01' and '9999-12-31 23:59:59.999999' then epoch_us(${time})::hugeint end`;
}

/**
 * Makes `mapped` of the rows of `loaded` that are read since a mark, in their order: those at the mark or beyond it, less the overlap, and
 * those without a value, of which no mark says whether they are new; but none that was seen there before.
 */
export async function takeSince(
  source: Source,
  mark: MarkColumn,
  since: SinceColumn,
  byRow: boolean,
): Promise<{ rows: number; since: ReadSince }> {
  const { engine } = source;
  const { column, kind } = mark;
  const [wrong] = await engine.rows(
    'select (rowid + 1)::double as row, unmarked from own.loaded where unmarked is not null order by rowid limit 1',
  );
  if (wrong) refuse(source, `since: row ${wrong['row'] as number}: ${valueProblem(mark, wrong['unmarked'], source)}`);
  if (since.after && since.after.kind !== kind)
    refuse(source, `since: column '${column}' holds ${kind}s, and the mark is ${since.after.value}; set it anew: portolan watermark set`);
  const { overlap } = since;
  const misfit = overlapProblem(mark, overlap?.kind);
  if (misfit !== undefined) refuse(source, `since: ${misfit}`);
  const beyond = (from: bigint): string => `(mark is null or mark >= ${from - BigInt(overlap?.by ?? 0)})`;
  const key = byRow ? rowKey('fingerprint', 'coalesce(occurrence, 1)') : 'fingerprint';
  const joined = byRow ? 'left join own.repeated on loaded.rowid = repeated.place' : '';
  const after = since.after && markNumber(since.after);
  await engine.run('create table own.seen (key varchar)');
  if (since.seenFile !== undefined) await readKeys(source, since.seenFile);
  await judged(source.name, () =>
    engine.run(
      `create table own.mapped as select loaded.*, loaded.rowid as place${byRow ? ', occurrence' : ''} from own.loaded ${joined}
       where ${after === undefined ? 'true' : beyond(after)} and ${key} not in (select key from own.seen) order by loaded.rowid`,
    ),
  );
  const latest = kind === 'time' ? `where mark <= ${markNumber(since.latest)}` : '';
  const [found] = await engine.rows(
    `select (select count(*) from own.loaded)::double as total, (select count(*) from own.mapped)::double as rows,
     (select count(*) from own.loaded where ${after === undefined ? 'true' : beyond(after)})::double as read,
     (select max(mark)::varchar from own.loaded ${latest}) as last`,
  );
  const last = found!['last'] === null ? undefined : BigInt(found!['last'] as string);
  const to = last === undefined || (after !== undefined && after > last) ? after : last;
  await engine.run(
    `create table own.keys as select ${key} as key from own.loaded ${joined} where ${to === undefined ? 'true' : beyond(to)}`,
  );
  await engine.run('drop table own.loaded');
  const rows = Number(found!['rows']);
  const seen = Number(found!['read']) - rows;
  return { rows, since: { of: Number(found!['total']), seen, to: to === undefined ? null : markOf(kind, to) } };
}

/** Keys written at a time. */
const block = 100_000;

async function readKeys({ engine }: Source, file: string): Promise<void> {
  const appender = await engine.connection.createAppender('seen', 'own');
  for (const key of (await readFile(file, 'latin1')).split('\n')) {
    if (key === '') continue;
    appender.appendVarchar(key);
    appender.endRow();
  }
  appender.closeSync();
}

/** Writes the keys of the rows that the next reading would meet again. */
export async function writeKeys({ engine }: Source, file: string): Promise<void> {
  await using handle = await open(file, 'w');
  for (let from = 0; ; from += block) {
    const keys = await engine.rows(`select key from own.keys where rowid between ${from} and ${from + block - 1}`);
    if (keys.length === 0) return;
    await handle.appendFile(keys.map(({ key }) => `${key as string}\n`).join(''));
  }
}
