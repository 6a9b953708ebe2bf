import { nearest } from '../../../../text/nearest.ts';
import type { Wishes } from './wishes.ts';

export type TableRead = { kind: 'table'; name: string; rows: number; columns: { name: string; type: string }[] };

const quoted = (column: string): string => `"${column.replaceAll('"', '""')}"`;

/** The column that a word of the prompt means: in any case, in the plural too, or nearly so. */
const columnOf = ({ columns }: TableRead, word: string): string | undefined => {
  const names = columns.map(({ name }) => name);
  const wanted = word.toLowerCase();
  return (
    names.find((name) => name.toLowerCase() === wanted) ??
    names.find((name) => `${name.toLowerCase()}s` === wanted || name.toLowerCase() === `${wanted}s`) ??
    nearest(wanted, names)
  );
};

/** A query for each measure that the table has the columns for, and what it is called. */
export const queriesOf = (table: TableRead, { measures }: Pick<Wishes, 'measures'>): { title: string; sql: string }[] =>
  measures.flatMap(({ does, of, by }) => {
    const value = of === undefined ? undefined : columnOf(table, of);
    const group = by === undefined ? undefined : columnOf(table, by);
    if ((does !== 'count' && value === undefined) || (by !== undefined && group === undefined)) return [];
    const counted = does === 'count' ? 'count(*)' : `${does}(try_cast(${quoted(value!)} as double))`;
    const label = does === 'count' ? 'count' : `${does}_${value}`;
    const title = `${does === 'count' ? 'count' : `${does} of ${value}`}${group === undefined ? '' : ` by ${group}`}`;
    const sql =
      group === undefined
        ? `select ${counted} as ${quoted(label)} from rows`
        : `select ${quoted(group)}, ${counted} as ${quoted(label)} from rows group by all order by 2 desc nulls last, 1 nulls last`;
    return [{ title, sql }];
  });
