import { identifier } from '../../../text/sql.ts';
import { guessedReadings } from '../../../contracts/assumptions/index.ts';
import type { ColumnType } from '../../../child/data-column.ts';
import type { Filter, Selection } from '../../../contracts/maps/selection.ts';
import { checkBounds } from './bounds.ts';
import { SelectionError } from './error.ts';
import { fragmentOf } from './fragment.ts';
import type { Fragment, Param } from './fragment.ts';
import type { SelectionReadings } from './readings.ts';

export type Column = { name: string; type: ColumnType };

/** A DuckDB boolean expression that is never null, with its `?` values in order; `patterns` are the regular expressions of the user. */
export type CompiledSelection = { sql: string; params: Param[]; patterns: string[] };

const constant = (value: boolean): Fragment => ({ sql: String(value), params: [] });

/** One level of parentheses less for every only child, so that depth in SQL follows meaning and not the way it was written. */
const join = (parts: Fragment[], word: 'AND' | 'OR'): Fragment =>
  parts.length === 0
    ? constant(word === 'AND')
    : parts.length === 1
      ? parts[0]!
      : { sql: `(${parts.map((part) => part.sql).join(` ${word} `)})`, params: parts.flatMap((part) => part.params) };

const columnOf = (field: string, columns: readonly Column[]): Column => {
  const column = columns.find(({ name }) => name === field);
  if (column) return column;
  const near = columns.find(({ name }) => name.toLowerCase() === field.toLowerCase())?.name;
  throw new SelectionError(
    400,
    `field "${field}" is not a column of this dataset; ${near === undefined ? `its columns are ${columns.map(({ name }) => `"${name}"`).join(', ')}` : `did you mean "${near}"?`}`,
  );
};

/**
 * Selection → parameterised DuckDB WHERE expression. Values of the user are parameters, never text. A null matches
 * no filter; whether it matches an inverted one, and all else that the text leaves open, is a matter of `readings`. Throws `SelectionError`: 400 for an unknown field or a method that
 * does not fit its type, 422 past the bounds of `selectionBounds`.
 */
export const compileSelection = (
  selection: Selection,
  columns: readonly Column[],
  readings: SelectionReadings = guessedReadings(),
): CompiledSelection => {
  checkBounds(selection);
  const patterns: string[] = [];

  const compile = (filter: Filter, inverted: boolean): Fragment => {
    const negate = inverted !== (filter.polarity === false);
    if (filter.method === 'composition') {
      if (filter.filters.length === 0 && readings['empty-all'] !== 'every') {
        if (readings['empty-all'] === 'refused') throw new SelectionError(422, 'selection: a composition without filters');
        return constant(negate);
      }
      // De Morgan: fragments are never null, so negation may move down to them.
      return join(
        filter.filters.map((child) => compile(child, negate)),
        (filter.conjunctor === 'ALL') !== negate ? 'AND' : 'OR',
      );
    }
    const column = columnOf(filter.field, columns);
    if (filter.method === 'search' && filter.regex) patterns.push(filter.query);
    const { sql, params } = fragmentOf(filter, identifier(column.name), column.type, readings);
    const ofNull = negate && readings['inverted-null'] === 'excluded';
    return { sql: `${negate ? 'NOT ' : ''}coalesce(${sql}, ${ofNull})`, params };
  };

  // At the top the inversion is undone where it is not honoured.
  const ignored = readings['top-polarity'] === 'ignored' && selection.polarity === false;
  return { ...compile(selection, ignored), patterns };
};
