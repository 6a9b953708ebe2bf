import { z } from 'zod';
import { sourceName } from '../source-name.ts';
import type { Facts, Known, SourceFacts, SourceSpec } from '../step.ts';

const path = z.string().min(1);

const tableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'a table name: letters, digits and underscores, at most 63');

const tables = z
  .record(tableName, path.describe('A path or glob.'))
  .refine((named) => Object.keys(named).length > 0, { error: 'a query needs at least one table' })
  // SQL does not tell them apart.
  .refine((named) => new Set(Object.keys(named).map((name) => name.toLowerCase())).size === Object.keys(named).length, {
    error: 'two tables have the same name when case is ignored',
  });

/** What a step reads its rows from. */
export const source = z
  .union([
    path.describe(
      'Path of a file, or a glob such as `data/flights-*.parquet`: files of one type with the same columns, in the order of their names.',
    ),
    z.strictObject({
      sql: z
        .string()
        .min(1)
        .max(20_000)
        .describe(
          'One SELECT over `tables` that gives the same rows each time: no other files or functions of the clock, `limit` only with `order by`.',
        ),
      tables: tables.describe('What the query calls its tables: name, and path or glob.'),
    }),
  ])
  .describe(
    'A table: JSON, JSON lines, CSV, Parquet or Arrow file; a glob: files of one type with the same columns, in the order of their names; or a query: one SELECT over `tables`, each a file or glob, that reads nothing else and gives the same rows each time (`limit` only with `order by`).',
  );

/** What is known of a source before the run; undefined where part of it is still an expression, or where it was not inspected. */
export function factsOf(given: Known<SourceSpec>, facts: Facts): SourceFacts | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string') return facts.source(given);
  const { sql, tables: named } = given;
  if (sql === undefined || named === undefined || Object.values(named).some((value) => value === undefined)) return undefined;
  return facts.source(sourceName({ sql, tables: named as { [table: string]: string } }));
}
