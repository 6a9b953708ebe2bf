import { identifier } from '../../../text/sql.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import { invalid, type HttpError } from '../../core/errors.ts';
import { select } from './dataset.ts';
import type { Dataset, DatasetState } from './dataset.ts';
import { listOfRows, locate } from './ids.ts';
import type { StoredColumn } from './schema.ts';

/** A row as answered in JSON: timestamps by the reading of `row-times`; vectors as lists. */
export type Row = Record<string, string | number | number[] | null>;

type Times = ReadingOf<'row-times'>;

const times: Record<Times, (column: string) => string> = {
  'epoch-ms': (column) => `epoch_ms(${column})`,
  iso: (column) => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`,
  'iso-unzoned': (column) => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%g')`,
};

const expression = ({ name, type }: StoredColumn, table: string, written: Times): string =>
  type === 'timestamp' ? `${times[written](table + identifier(name))} AS ${identifier(name)}` : `${table}${identifier(name)}`;

/** The columns asked for, each once, vectors among them where they are named, or all but the vectors; 422 for one that the dataset does not have. */
export const chosenColumns = (
  facts: DatasetState,
  field: string,
  names?: readonly string[] | null,
  refuse: (field: string, msg: string) => HttpError = invalid,
): StoredColumn[] => {
  if (!names) return facts.columns.filter(({ type }) => type !== 'vector');
  return [...new Set(names)].map((name) => {
    const column = facts.columns.find((each) => each.name === name);
    if (!column)
      throw refuse(
        field,
        `${JSON.stringify(name)} is not a column of this dataset; its columns are ${facts.columns.map((each) => each.name).join(', ')}`,
      );
    return column;
  });
};

/** SELECT list of columns. */
export const columnList = (columns: readonly StoredColumn[], table = '', written: Times = 'epoch-ms'): string =>
  columns.map((column) => expression(column, table, written)).join(', ');

/** Rows by id in the order of `ids`, and the ids that are not there. Of a replaced row the new one is returned. */
export const rowsById = async (
  dataset: Dataset,
  connection: DuckDBConnection,
  facts: DatasetState,
  ids: readonly string[],
  written: Times = 'epoch-ms',
): Promise<{ rows: Row[]; unknown: string[] }> => {
  if (facts.idField === null) return { rows: [], unknown: [...ids] };
  const asked = [...new Set(ids)];
  const { latest } = await locate(dataset, connection, facts.idField, asked);
  const numbers = [...latest.values()].map(({ row }) => row).toSorted((a, b) => a - b);
  const found =
    numbers.length === 0
      ? []
      : await select<Row>(
          connection,
          `SELECT ${columnList(chosenColumns(facts, 'columns'), '', written)} FROM data WHERE "_row" BETWEEN ? AND ? AND "_row" IN ${listOfRows}`,
          [numbers[0]!, numbers.at(-1)!, JSON.stringify(numbers)],
        );
  const byId = new Map(found.map((row) => [row[facts.idField!] as string, row]));
  const unknown = asked.filter((id) => !byId.has(id));
  return { rows: ids.map((id) => byId.get(id)).filter((row) => row !== undefined), unknown };
};
