import { z } from 'zod';

/** `portolan preview`. */
export const previewed = z.strictObject({
  source: z.string(),
  tables: z
    .array(z.strictObject({ table: z.string(), type: z.string(), files: z.int(), names: z.array(z.string()) }))
    .describe('Files by table; a source that is no query has one table without a name. At most 20 names each.'),
  rows: z.int(),
  bytes: z.int(),
  dialects: z
    .array(
      z.strictObject({
        delimiter: z.string(),
        quote: z.string(),
        escape: z.string(),
        header: z.boolean(),
        newline: z.string(),
        encoding: z.string(),
        skip: z.int(),
        nulls: z.array(z.string()),
        decimal: z.string(),
        files: z.array(z.string()),
      }),
    )
    .describe('How the CSV files are written, each way once.'),
  formats: z
    .array(z.strictObject({ column: z.string(), format: z.string() }))
    .describe('Dates that are not ISO 8601, and how they are read.'),
  sheets: z
    .array(
      z.strictObject({
        sheet: z.string(),
        header: z.int().nullable().describe('The row that names the columns; null where they have the letters of the sheet.'),
        others: z.array(z.string()),
        files: z.array(z.string()),
      }),
    )
    .describe('Which sheets of workbooks are read, each way once.'),
  hints: z
    .array(z.strictObject({ column: z.string(), message: z.string() }))
    .describe(
      'Columns that may be meant otherwise: that stay text though they look like something else, whose names were changed, that stand below a title; numbers of a workbook that may have lost digits.',
    ),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      type: z.string().describe('In the words of DuckDB.'),
      as: z.string().nullable().describe('Type in a dataset; null where it has none as it is.'),
      width: z.int().optional().describe('Numbers of a vector.'),
      nulls: z.int(),
      refused: z.int().describe('Values that do not fit: their rows are refused.'),
      changed: z.int().describe('Values that become others.'),
      problem: z.string().optional(),
      remedy: z.string().optional().describe('An expression for `columns:`.'),
      produces: z.array(z.string()).optional().describe('What it makes of the first values.'),
    }),
  ),
  refusedRows: z.int(),
  sample: z.array(z.array(z.string().nullable())).describe('The first rows as text; a value is cut after 200 characters.'),
});
