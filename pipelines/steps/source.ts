import { z } from 'zod';

const path = z.string().min(1);

const character = z.string().length(1);
const format = z.string().regex(/%/, 'a format of strptime, such as %d/%m/%Y');

/** How CSV files are written, where that cannot be seen from them. */
export const csvOptions = z
  .strictObject({
    delimiter: character.optional().describe('Between two values: `;`.'),
    quote: z.string().max(1).optional().describe('Around a value; an empty text: none. @default `"`'),
    escape: z.string().max(1).optional().describe('Before a quote within a value.'),
    header: z.boolean().optional().describe('Does the first line name the columns?'),
    dateFormat: format.optional().describe('Of dates that are not written 2024-12-31: `%d/%m/%Y`.'),
    timestampFormat: format.optional().describe('Of times that are not written 2024-12-31 23:59:59: `%d/%m/%Y %H:%M`.'),
  })
  .describe('How the CSV files are written; what is not said is found in them.');

const csvFile = z.strictObject({ path: path.describe('A path or glob.'), csv: csvOptions });

const file = z.union([path, csvFile]);

const tableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'a table name: letters, digits and underscores, at most 63');

const tables = z
  .record(tableName, file.describe('A path or glob, or `{ path, csv }`.'))
  .refine((named) => Object.keys(named).length > 0, { error: 'a query needs at least one table' })
  // To SQL they are the same name.
  .refine((named) => new Set(Object.keys(named).map((name) => name.toLowerCase())).size === Object.keys(named).length, {
    error: 'two tables have the same name when case is ignored',
  });

/** What a step reads its rows from. */
export const source = z
  .union([
    path.describe(
      'Path of a file, or a glob such as `data/flights-*.parquet`: files of one type with the same columns, in the order of their names.',
    ),
    csvFile,
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
    'A table: JSON, JSON lines, CSV, Parquet or Arrow file; a glob: files of one type with the same columns, in the order of their names; `{ path, csv }`: CSV files and how they are written; or a query: one SELECT over `tables`, each a file or glob, that reads nothing else and gives the same rows each time (`limit` only with `order by`).',
  );
