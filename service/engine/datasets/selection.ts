import type { DuckDBConnection } from '@duckdb/node-api';
import type { Selection } from '../../../contracts/maps/selection.ts';
import { invalid } from '../../core/errors.ts';
import { compileSelection } from '../selection/compile.ts';
import type { SelectionReadings } from '../selection/readings.ts';
import type { Fragment } from '../selection/fragment.ts';
import { SelectionError } from '../selection/error.ts';
import { checkPatterns } from '../selection/patterns.ts';
import type { DatasetState } from './dataset.ts';
import type { StoredColumn } from './schema.ts';

type Scalar = StoredColumn & { type: Exclude<StoredColumn['type'], 'vector'> };
const isScalar = (column: StoredColumn): column is Scalar => column.type !== 'vector';

/** A WHERE expression; `tables` stands first in the WITH clause of its statement, which has others behind it. */
export type Where = Fragment & { tables: Fragment };

/** A selection as WHERE expression over the rows, its regular expressions tried; throws 422. */
export const whereOf = async (
  connection: DuckDBConnection,
  facts: DatasetState,
  selection: Selection,
  readings: SelectionReadings,
): Promise<Where> => {
  try {
    const { sql, params, patterns, tables } = compileSelection(selection, facts.columns.filter(isScalar), readings);
    await checkPatterns(patterns, (statement, values) => connection.run(statement, values));
    const first = { sql: tables.map((table) => `${table.sql}, `).join(''), params: tables.flatMap((table) => table.params) };
    return { sql, params, tables: first };
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    throw invalid('selection', error.message);
  }
};
