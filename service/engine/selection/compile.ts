import { identifier } from '../../../text/sql.ts';
import { guessedReadings } from '../../../contracts/assumptions/index.ts';
import type { ColumnType } from '../../../child/data-column.ts';
import type { Selection } from '../../../contracts/maps/selection.ts';
import { checkBounds } from './bounds.ts';
import { SelectionError } from './error.ts';
import { fragmentOf } from './fragment.ts';
import type { Fragment } from './fragment.ts';
import { foldFilter } from './fold.ts';
import type { SelectionReadings } from './readings.ts';

export type SelectableColumn = { name: string; type: ColumnType };

/**
 * A DuckDB boolean expression that is never null, with its `?` values in order; `patterns` are the regular expressions of the
 * user. `tables` are what it reads beside the data, in the order in which a WITH clause must name them.
 */
export type CompiledSelection = Fragment & { patterns: string[]; tables: Fragment[] };

type Part = Fragment & { word?: 'AND' | 'OR'; depth: number };

const constant = (value: boolean): Part => ({ sql: String(value), params: [], depth: 0 });

/** Levels of AND and OR within one expression: clear of DuckDB's limit of 1,000, which counts more than these. */
const mostLevels = 200;

/** Parts of the same word are written side by side, so that depth in SQL follows meaning and not the way it was written. */
const join = (parts: Part[], word: 'AND' | 'OR'): Part => {
  if (parts.length === 0) return constant(word === 'AND');
  if (parts.length === 1) return parts[0]!;
  return {
    sql: parts.map((part) => (part.word !== undefined && part.word !== word ? `(${part.sql})` : part.sql)).join(` ${word} `),
    params: parts.flatMap(({ params }) => params),
    word,
    depth: Math.max(...parts.map((part) => part.depth + Number(part.word !== undefined && part.word !== word))),
  };
};

const columnOf = (field: string, columns: readonly SelectableColumn[]): SelectableColumn => {
  const column = columns.find(({ name }) => name === field);
  if (column) return column;
  const near = columns.find(({ name }) => name.toLowerCase() === field.toLowerCase())?.name;
  throw new SelectionError(
    `field "${field}" is not a column of this dataset; ${near === undefined ? `its columns are ${columns.map(({ name }) => `"${name}"`).join(', ')}` : `did you mean "${near}"?`}`,
  );
};

/**
 * Selection → parameterised DuckDB WHERE expression. Values of the user are parameters, never text. A null matches
 * no filter; whether it matches an inverted one, and all else that the text leaves open, is a matter of `readings`. Throws `SelectionError` for an unknown field, a method that
 * does not fit its type, and past the bounds of `selectionBounds`.
 */
export const compileSelection = (
  selection: Selection,
  columns: readonly SelectableColumn[],
  readings: SelectionReadings = guessedReadings(),
): CompiledSelection => {
  checkBounds(selection);
  const patterns: string[] = [];
  const tables: Fragment[] = [];

  /** An expression that has become too deep is a table of the rows that it holds for. */
  const shallow = (part: Part): Part => {
    if (part.depth < mostLevels) return part;
    const name = identifier(`deep ${tables.length}`);
    tables.push({ sql: `${name} AS MATERIALIZED (SELECT "_row" FROM data WHERE ${part.sql})`, params: part.params });
    return { sql: `"_row" IN (FROM ${name})`, params: [], depth: 0 };
  };

  // At the top the inversion is undone where it is not honoured.
  const ignored = readings['top-polarity'] === 'ignored' && selection.polarity === false;
  const { sql, params } = foldFilter<Part>(selection, ignored, {
    leaf(filter, negate) {
      const column = columnOf(filter.field, columns);
      // What is right alone may swallow the end of what it is put into, as an open `\Q` does.
      if (filter.method === 'search' && filter.regex) patterns.push(filter.query, ...(filter.wordBoundary ? [`(?:${filter.query})`] : []));
      const fragment = fragmentOf(filter, identifier(column.name), column.type, readings);
      const ofNull = negate && readings['inverted-null'] === 'excluded';
      return { sql: `${negate ? 'NOT ' : ''}coalesce(${fragment.sql}, ${ofNull})`, params: fragment.params, depth: 0 };
    },
    composition({ conjunctor, filters }, negate, parts) {
      if (filters.length === 0 && readings['empty-all'] !== 'every') {
        if (readings['empty-all'] === 'refused') throw new SelectionError('selection: a composition without filters');
        return constant(negate);
      }
      // De Morgan: fragments are never null, so negation may move down to them.
      return shallow(join(parts, (conjunctor === 'ALL') !== negate ? 'AND' : 'OR'));
    },
  });
  return { sql, params, patterns, tables };
};
