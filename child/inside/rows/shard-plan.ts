import { refuse } from './refuse.ts';
import { markColumn, type MarkColumn } from './since.ts';
import { longestId } from '../../../contracts/maps/unique-id.ts';
import type { BoundColumn } from './columns.ts';
import { idColumns, type IdColumns } from '../../id-columns.ts';
import type { Source } from '../source.ts';
import { bindColumns, nameRefusal } from './columns.ts';
import { columnTypeOf, conversion, familyOf, misfit, stableText, vectorSql, vectorType } from './column-types.ts';
import { judged } from '../duck-error.ts';
import { identifier, literal } from '../../../text/sql.ts';
import { BadInput } from '../../../errors/classes.ts';
import type { Drift, MeasureRequest } from '../../tables.ts';
import type { DataColumn } from '../../data-column.ts';

/** How the rows of a source become rows of shards, as SQL over the table `mapped`. */
export type ShardPlan = {
  /** Select items of `mapped`, made from the source: `v0`, `v1` … and `key` with an id column. */
  mapped: string[];
  columns: (DataColumn & { sql: string })[];
  /** SQL of the reasons why a row is refused, each null where it is not. */
  reasons: string[];
  /** Where source and dataset have not the same columns. */
  drift?: Drift;
  /** With `since`: what its column holds. */
  since?: MarkColumn;
};

/** The columns of the source that are the id of a row. */
export const idsOf = ({ id, columns }: Pick<MeasureRequest, 'id' | 'columns'>): IdColumns =>
  idColumns('column' in id ? id.column : undefined, columns);

/** The id's own column among the dataset's columns, if it is there: it is not sent twice. */
function withoutId(bound: BoundColumn[], { id, idField, columns }: MeasureRequest, source: Source): BoundColumn[] {
  const clash = bound.find(({ name }) => name.toLowerCase() === idField.toLowerCase());
  if (!clash) return bound;
  const isId = 'column' in id && clash.name === idField && (id.column === idField || columns?.[idField] === id.column);
  if (!isId)
    refuse(source, `column ${clash.name} has the name of the dataset's id column '${idField}'; give it another name under columns:`);
  return bound.filter((column) => column !== clash);
}

/** SQL of the text that is a row's id; the column is one of the source, else one made under `columns`. */
function idText(column: string, bound: BoundColumn[], source: Source): string {
  const own = source.columns.find(({ name }) => name === column);
  const made = bound.find(({ name }) => name === column);
  if (!own && !made)
    return refuse(
      source,
      `id: there is no column '${column}'; the source has ${source.columns
        .map(({ name }) => name)
        .slice(0, 20)
        .join(', ')}`,
    );
  if (own && !familyOf(own.type)) return refuse(source, `id: column '${column}' is ${own.type}; an id is a text, a number or a date`);
  return own ? stableText(identifier(column), own.type) : stableText(made!.sql, made!.type);
}

/** Numbers of the first vector in a column; undefined where no row has one. */
export async function firstWidth(source: Source, { sql }: Pick<BoundColumn, 'sql'>): Promise<number | undefined> {
  const list = `len(try_cast(${sql} as float[]))`;
  const [first] = await judged(source.name, () =>
    source.engine.rows(`select ${list}::integer as width from ${source.relation} where ${list} > 0 limit 1`),
  );
  return first && Number(first['width']);
}

/** Numbers of a vector: what the type says, else as many as the first row has that has any. */
export const widthOf = async (source: Source, column: Pick<BoundColumn, 'name' | 'sql' | 'type'>): Promise<number> =>
  vectorType(column.type)?.width ??
  (await firstWidth(source, column)) ??
  refuse(source, `column ${column.name}: no row has a vector, a list of numbers`);

const shown = (sql: string): string => `left((${sql})::varchar, 60)`;

/** A column of the dataset that the source does not have. */
const noValue = { sql: 'null::varchar', type: 'VARCHAR', family: 'text' } as const;

function driftOf(wanted: readonly DataColumn[], data: readonly BoundColumn[]): Drift | undefined {
  const added = data.filter(({ name }) => !wanted.some((column) => column.name === name)).map(({ name }) => name);
  const gone = wanted.filter(({ name }) => !data.some((column) => column.name === name)).map(({ name }) => name);
  return added.length + gone.length > 0 ? { added, gone } : undefined;
}

/** Columns that are new may be left out, those that are gone stay without a value; not a vector, of which every row has one. */
function checkDrift(
  source: Source,
  wanted: readonly DataColumn[] | undefined,
  drift: Drift | undefined,
  rule: MeasureRequest['drift'],
): void {
  const missing = wanted?.find(({ name, type }) => drift?.gone.includes(name) && (rule !== 'ignore' || type === 'vector'));
  if (missing)
    refuse(
      source,
      `column ${missing.name} (${missing.type}) of the dataset is missing; its schema is fixed by the first upload${missing.type === 'vector' || rule === 'ignore' ? '' : '. drift: ignore leaves it without a value'}`,
    );
  if (rule === 'fail' && drift && drift.added.length > 0)
    refuse(
      source,
      `${drift.added.length === 1 ? 'column' : 'columns'} ${drift.added.join(', ')} of the source ${drift.added.length === 1 ? 'is' : 'are'} not in the dataset, whose schema is fixed by the first upload. drift: ignore leaves ${drift.added.length === 1 ? 'it' : 'them'} out, so does a list under columns:; a new dataset takes ${drift.added.length === 1 ? 'it' : 'them'} in`,
    );
}

/** Names, types, casts and reasons for one append. Fails with `BadInput` naming the column, the rule and the remedy. */
export async function planShards(source: Source, request: MeasureRequest): Promise<ShardPlan> {
  const { id, idField, schema } = request;
  const idName = idField === '_internal_id' ? undefined : nameRefusal(idField, new Set());
  if (idName) refuse(source, `id field '${idField}': ${idName}`);
  const { bound, findings } = await bindColumns(source, request.columns);
  const wantedByDataset = (name: string): boolean => !schema || schema.some((column) => column.name === name);
  // What the dataset does not hold is dropped, so its type does not matter; a refused expression always does.
  const counted = findings.filter(({ column, verdict }) => verdict === 'refused_expression' || request.columns || wantedByDataset(column));
  if (counted[0])
    throw new BadInput(
      counted[0].verdict,
      `${source.name}: ${counted.map(({ column, message }) => `column ${column}: ${message}`).join('; ')}`,
    );
  const data = withoutId(bound, request, source);
  const wanted = schema?.filter(({ name }) => name !== idField);
  const drift = wanted && driftOf(wanted, data);
  checkDrift(source, wanted, drift, request.drift);
  const chosen = wanted ? wanted.map(({ name }) => data.find((column) => column.name === name) ?? { name, ...noValue }) : data;

  const mapped: string[] = [];
  const reasons: string[] = [];
  if ('column' in id) {
    mapped.push(`${idText(id.column, bound, source)} as key`);
    const label = literal(`${id.column}: `);
    reasons.push(
      `case when coalesce(key, '') = '' then ${label} || 'no id' when length(key) > ${longestId} then ${label} || 'id of ' || length(key) || ' characters, at most ${longestId}' end`,
    );
  }
  const columns: ShardPlan['columns'] = [];
  for (const [at, column] of chosen.entries()) {
    const { name, type: sourceType, family } = column;
    const type = wanted?.[at]?.type ?? columnTypeOf[family];
    if (type === 'vector') {
      const width = wanted?.[at]?.width ?? (await widthOf(source, column));
      const vector = vectorSql(column.sql, width);
      mapped.push(`${vector.value} as v${at}`, `${vector.reason} as r${at}`);
      reasons.push(`${literal(`${name}: `)} || r${at}`);
      columns.push({ name, type, width, sql: `v${at}` });
      continue;
    }
    mapped.push(`${column.sql} as v${at}`);
    const sql = conversion(`v${at}`, sourceType, family, type);
    if (sql === undefined) return refuse(source, `column ${name}: is ${sourceType}, the dataset holds ${type}; cast it under columns:`);
    if (type !== 'string')
      reasons.push(
        `case when ${misfit(`v${at}`, family, sql)} then ${literal(`${name}: `)} || ${shown(`v${at}`)} || ' does not fit ${type}' end`,
      );
    columns.push({ name, type, sql });
  }
  const plan = { columns, reasons, ...(drift ? { drift } : {}) };
  if (!request.since) return { mapped, ...plan };
  const since = markColumn(request.since.column, bound, source);
  return { mapped: [...mapped, ...since.mapped], ...plan, since };
}
