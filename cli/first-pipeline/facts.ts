import type { ColumnFacts, Preview } from '../../child/preview.ts';
import type { Tables } from '../../child/tables.ts';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { identifier } from '../../text/sql.ts';

/** What the texts of a column's values are like; lengths in characters. */
export type ValueFacts = { distinct: number; longest: number; length: number; blanks: number; letters: number; addresses: number };

/** A table, and of the columns that may be an id or a text what their values are like. */
export type TableFacts = { found: Preview; values: ReadonlyMap<string, ValueFacts> };

/** Columns of one query: its text has a bound. */
const batch = 30;

const mayMatter = ({ type, as }: ColumnFacts): boolean =>
  as !== null && as !== 'vector' && /^(VARCHAR|UUID|U?[A-Z]*INT(EGER)?)$/.test(type);

const itemsOf = ({ name }: ColumnFacts): string[] => {
  const column = identifier(name);
  const text = `${column}::varchar`;
  return [
    `count(distinct ${column})`,
    `coalesce(max(length(${text})), 0)`,
    `coalesce(avg(length(${text})), 0)`,
    `coalesce(avg(length(${text}) - length(replace(${text}, ' ', ''))), 0)`,
    `coalesce(avg(length(regexp_replace(${text}, '\\P{L}', '', 'g'))), 0)`,
    `count(*) filter (where starts_with(lower(${text}), 'http'))`,
  ];
};

/** Reads the whole of a table, twice. Fails with `BadInput` where it is none. */
export async function tableFacts(
  tables: Tables,
  file: FileSpec,
  { rows, signal }: { rows: number; signal: AbortSignal },
): Promise<TableFacts> {
  const found = await tables.preview(file, { rows, signal });
  const values = new Map<string, ValueFacts>();
  const wanted = found.columns.filter(mayMatter);
  for (let at = 0; at < wanted.length; at += batch) {
    const part = wanted.slice(at, at + batch);
    const items = part.flatMap(itemsOf).map((item, place) => `(${item})::double as c${place}`);
    const { sample } = await tables.preview({ sql: `select ${items.join(', ')} from t`, tables: { t: file } }, { rows: 1, signal });
    const numbers = sample[0]!.map(Number);
    const each = numbers.length / part.length;
    for (const [place, { name }] of part.entries()) {
      const [distinct, longest, length, blanks, letters, addresses] = numbers.slice(place * each) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      values.set(name, { distinct, longest, length, blanks, letters, addresses });
    }
  }
  return { found, values };
}
