import { z } from 'zod';
import { remedies } from '../../contracts/remedies.ts';
import { sameName } from '../../text/same-name.ts';
import { addressProblem, isSecretName, sendsOpenly } from '../source-address.ts';
import { encodings, formats, textTypeNames } from '../source-spec.ts';

const path = z.string().min(1);

const character = z.string().length(1);
const format = z.string().regex(/%/, 'a format of strptime, such as %d/%m/%Y');
const dateFormat = format.refine((text) => !/%-?[HIMSfgnpTXcr]/.test(text), 'a date has no time of day: this is a timestampFormat');

/** How CSV files are written, where that cannot be seen from them. */
export const csvOptions = z
  .strictObject({
    delimiter: character.optional().describe('Between two values: `;`.'),
    quote: z.string().max(1).optional().describe('Around a value; an empty text: none. @default `"`'),
    escape: z.string().max(1).optional().describe('Before a quote within a value.'),
    header: z.boolean().optional().describe('Does the first line name the columns? Without names they are `column0`, `column1` …'),
    skip: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'So many lines before the header, or before the first row, are none of the table; a value in quotes may go over several, and is in one.',
      ),
    encoding: z.enum(encodings).optional().describe('Of text that is not UTF-8.'),
    nulls: z
      .array(z.string().min(1))
      .min(1)
      .max(20)
      .optional()
      .describe('Texts that stand for no value, beside the empty one: `[NA, "-"]`.'),
    decimal: z.enum(['.', ',']).optional().describe('In numbers such as `1.234,56` a comma is before the decimals. @default `.`'),
    types: z
      .record(z.string().min(1), z.enum(textTypeNames))
      .optional()
      .describe(
        'What a column holds, by its name, in the words of `portolan preview`: `{ zip: VARCHAR }`. A value that is none is refused with its row.',
      ),
    dateFormat: dateFormat.optional().describe('Of dates that are not written 2024-12-31: `%d/%m/%Y`.'),
    timestampFormat: format.optional().describe('Of times that are not written 2024-12-31 23:59:59: `%d/%m/%Y %H:%M`.'),
  })
  .describe('How the CSV files are written; what is not said is found in them.');

/** Which part of an Excel workbook is the table. */
export const excelOptions = z
  .strictObject({
    sheet: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Its name; one of digits in quotes: `'2024'`. Not needed where only one visible sheet holds anything."),
    skip: z.int().min(1).max(1_000_000).optional().describe('So many rows at the top of the sheet are none of the table.'),
    header: z
      .boolean()
      .optional()
      .describe('Does the first row that is not empty name the columns? Without names they are `A`, `B` … as in the sheet. @default true'),
    nulls: z
      .array(z.string().min(1))
      .min(1)
      .max(20)
      .optional()
      .describe('Texts that stand for no value, beside empty cells and `#N/A`: `[n/a, "-"]`.'),
  })
  .describe('Which part of an Excel workbook is the table.');

const reading = {
  csv: csvOptions.optional(),
  excel: excelOptions.optional(),
  fileColumn: z.string().min(1).max(63).optional().describe('A further column of this name holds the name of the file that a row is from.'),
};

const optionedFile = z.strictObject({
  path: path.describe('A path or glob, seen from the folder of the pipeline’s file, also where it begins with an expression.'),
  ...reading,
});

const secretName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'the name of a secret of portolan.config.mts');

/** Headers that the fetching itself sends. */
const ownHeaders = /^(?:host|range|if-.*|accept-encoding|connection|content-.*|transfer-encoding)$/i;

const headers = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, 'the name of a header')
      .refine((name) => !ownHeaders.test(name), 'the fetching sends this header itself: leave it out'),
    z.union([
      z.string().regex(/^[\x20-\x7e]+$/, 'text of one line'),
      z.strictObject({
        secret: secretName.describe('A secret by its name in portolan.config.mts.'),
        scheme: z
          .string()
          .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
          .optional()
          .describe('Stands before it: `Bearer`.'),
      }),
    ]),
  )
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given))
      if (typeof value === 'string' && isSecretName(name))
        context.addIssue({ code: 'custom', path: [name], message: 'is a secret: name it, { secret: NAME, scheme: Bearer }' });
  });

const address = (scheme: RegExp, example: string) =>
  z
    .string()
    .min(1)
    .superRefine((text, context) => {
      const wrong = scheme.test(text)
        ? addressProblem(text)
        : { message: `${JSON.stringify(text)} is no address of this kind`, remedy: `write it as ${example}` };
      if (wrong) context.addIssue({ code: 'custom', message: wrong.message, params: { remedy: wrong.remedy } });
    });

const ofFormat = z.enum(formats).optional().describe('What the file is, where the path of its address does not end in it.');

const httpFile = z
  .strictObject({
    http: address(/^(?!s3:)/i, 'https://host/path/file.parquet').describe('Address of a file: `https://host/path/file.parquet`.'),
    headers: headers
      .optional()
      .describe(
        'Headers of the request, for this host alone: a text, or a secret by its name, which is sent by `https://` or to this machine.',
      ),
    format: ofFormat,
    ...reading,
  })
  .superRefine((file, context) => {
    if (!sendsOpenly(file)) return;
    const message = 'must begin with https://: over plain http everyone on the way reads the secret of its headers';
    context.addIssue({ code: 'custom', path: ['http'], message });
  });

const s3File = z.strictObject({
  s3: address(/^s3:/i, 's3://bucket/path/file.parquet').describe(
    'An object, or a pattern of objects of one type with the same columns: `s3://bucket/2026/*.parquet`.',
  ),
  storage: z
    .string()
    .min(1)
    .optional()
    .describe('Which storage of `sources: { s3: … }` in portolan.config.mts has it. @default the only one there'),
  format: ofFormat,
  ...reading,
});

const queryFile = z.strictObject({
  postgres: z.string().min(1).describe('Which database of `sources: { postgres: … }` in portolan.config.mts answers it.'),
  query: z
    .string()
    .max(20_000)
    .regex(/^(?:\s|--.*|\/\*[^]*?\*\/|\()*(?:select|with|values|table)\b/i, 'one SELECT that reads')
    .describe(
      'One statement that reads, in the words of PostgreSQL: `select id, title from films`. Its rows are fetched as they are at one moment.',
    ),
});

const file = z.union([path, optionedFile, httpFile, s3File, queryFile]);

const tableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'a table name: letters, digits and underscores, at most 63');

const tables = z
  .record(
    tableName,
    file.describe(
      'A path, glob or address, or `{ path, csv, excel, fileColumn }`, `{ http, headers, format, … }`, `{ s3, storage, format, … }` or `{ postgres, query }`.',
    ),
  )
  .refine((named) => Object.keys(named).length > 0, { error: 'a query needs at least one table' })
  // To SQL they are the same name.
  .refine((named) => sameName(Object.keys(named)) === undefined, {
    error: 'two tables have the same name when case is ignored',
  })
  .register(remedies, { remedy: 'write tables: { name: data/file.csv }, with the name that the query has for the file' });

/** What a step reads its rows from. */
export const source = z
  .union([
    path.describe(
      'Path of a file, a glob such as `data/flights-*.parquet` (files of one type with the same columns, in the order of their names), or an address: `https://…`, `s3://bucket/key`.',
    ),
    optionedFile,
    httpFile,
    s3File,
    queryFile,
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
    'A table: JSON, JSON lines, CSV, Parquet, Arrow or Excel (.xlsx) file, also packed as .gz or .zst; the address of one, which is fetched into the run store before the first step: `https://…`, `s3://bucket/key` (or a pattern of objects), `{ http, headers, format }`, `{ s3, storage, format }`; the rows of a query that a PostgreSQL database answers: `{ postgres, query }`; a glob: files of one type with the same columns, in the order of their names; `{ path, csv, excel, fileColumn }`: how CSV files are written, which sheet of a workbook is meant, and a column for the names of the files; or a query: one SELECT over `tables`, each a file or glob, that reads nothing else and gives the same rows each time (`limit` only with `order by`).',
  );
