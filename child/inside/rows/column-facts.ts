import { columnTypeOf, conversion, familyOf, misfit, vectorColumn, vectorSql, vectorType, type Family } from './column-types.ts';
import { nameRefusal, typeRefusal } from './columns.ts';
import { judged } from '../duck-error.ts';
import { embedded } from '../sql/expressions.ts';
import { remedyOf } from './remedy.ts';
import { widthOf } from './shard-plan.ts';
import type { Source } from '../source.ts';
import type { SourceColumn } from '../source-column.ts';
import { identifier } from '../../../text/sql.ts';
import type { ColumnFacts } from '../../preview.ts';

/** Values that show what a remedy makes, and the longest of them. */
const valuesShown = 2;
const longestShown = 60;

/** Columns counted in one reading of the source. */
const batch = 50;

type Judged = {
  column: SourceColumn;
  as: ColumnFacts['as'];
  width?: number;
  problem?: string;
  remedy?: string;
  misfit: string;
  changed: string;
};

const never = 'false';

/** SQL of the condition that a value is another one in the dataset. */
const changes: Record<Family, (sql: string, type: string) => string> = {
  // Whole numbers only: nearly every fraction is rounded, which says nothing of its column.
  float: (sql) => `${sql}::double = trunc(${sql}::double) and try_cast(${sql} as float)::double <> ${sql}::double`,
  time: (sql, type) =>
    type === 'TIMESTAMP_NS'
      ? `epoch_ns(${sql}) % 1000000 <> 0`
      : /^TIMESTAMP( WITH TIME ZONE)?$/.test(type)
        ? `isfinite(${sql}::timestamp) and epoch_us(${sql}::timestamp) % 1000 <> 0`
        : never,
  text: (sql) => `coalesce(${sql}::varchar, '') = ''`,
  integer: () => never,
  vector: () => never,
};

async function judge(source: Source, column: SourceColumn, taken: Set<string>): Promise<Judged> {
  const { name, type } = column;
  const sql = identifier(name);
  const refusal = nameRefusal(name, taken);
  taken.add(name.toLowerCase());
  const none = { column, as: null, misfit: never, changed: never };
  if (refusal) return { ...none, problem: refusal, remedy: familyOf(type) ? name : remedyOf(sql, type) };
  if (name === vectorColumn) {
    if (!vectorType(type)) return { ...none, problem: typeRefusal(name, sql, type) };
    const width = await widthOf(source, { name, sql, type });
    return { column, as: 'vector', width, misfit: `${vectorSql(sql, width).reason} is not null`, changed: never };
  }
  const family = familyOf(type);
  if (!family) {
    const remedy = remedyOf(sql, type);
    return { ...none, problem: `a dataset has no such type; make it ${remedy}, or leave it out`, remedy };
  }
  const as = columnTypeOf[family];
  const converted = as === 'vector' ? undefined : conversion(sql, type, family, as);
  return {
    column,
    as,
    misfit: as === 'string' || converted === undefined ? never : misfit(sql, family, converted),
    changed: changes[family](sql, type),
  };
}

/** The first values that an expression makes of a column. */
async function produced(source: Source, { name }: SourceColumn, expression: string): Promise<string[]> {
  const sql = expression === name ? identifier(name) : embedded(expression);
  const result = await judged(source.name, () =>
    source.engine.connection.runAndReadAll(
      `select left((${sql})::varchar, ${longestShown}) from ${source.relation} where ${identifier(name)} is not null limit ${valuesShown}`,
    ),
  );
  return result.getRows().map(([value]) => String(value));
}

/** Rows of a source, and what would become of each column. */
export async function columnFacts(source: Source): Promise<{ rows: number; refusedRows: number; columns: ColumnFacts[] }> {
  const taken = new Set<string>();
  const all: Judged[] = [];
  for (const column of source.columns) all.push(await judge(source, column, taken));
  const count = async (items: string[]): Promise<number[]> => {
    const result = await judged(source.name, () =>
      source.engine.connection.runAndReadAll(`select ${items.map((item) => `(${item})::double`).join(', ')} from ${source.relation}`),
    );
    return result.getRows()[0]!.map(Number);
  };
  const conditions = all.map((each) => each.misfit).filter((condition) => condition !== never);
  const any = conditions.length === 0 ? never : conditions.map((condition) => `(${condition})`).join(' or ');
  const [rows = 0, refusedRows = 0] = await count(['count(*)', `count(*) filter (where ${any})`]);
  const columns: ColumnFacts[] = [];
  for (let at = 0; at < all.length; at += batch) {
    const part = all.slice(at, at + batch);
    const counted = await count(
      part.flatMap(({ column: { name }, misfit: refused, changed }) => [
        `count(*) - count(${identifier(name)})`,
        `count(*) filter (where ${refused})`,
        `count(*) filter (where ${changed})`,
      ]),
    );
    for (const [place, { column, misfit: _misfit, changed: _changed, ...rest }] of part.entries()) {
      const [nulls, refused, changed] = counted.slice(place * 3) as [number, number, number];
      const produces = rest.remedy === undefined ? {} : { produces: await produced(source, column, rest.remedy) };
      columns.push({ ...column, ...rest, ...produces, nulls, refused, changed });
    }
  }
  return { rows, refusedRows, columns };
}
