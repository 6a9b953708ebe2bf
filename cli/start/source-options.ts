import { parse } from 'yaml';
import { resolvePath } from '../../pipelines/resolve-path.ts';
import { addressProblem } from '../../pipelines/source-address.ts';
import { isS3 } from '../../pipelines/s3-address.ts';
import { isAddress } from '../../pipelines/source-name.ts';
import { check } from '../../pipelines/file/schema-findings.ts';
import { nowhere } from '../../pipelines/file/parse.ts';
import type { z } from 'zod';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { csvOptions, excelOptions } from '../../pipelines/steps/source.ts';
import { UsageError } from '../frame/errors.ts';
import type { VerbOption } from '../frame/verb.ts';

/** Options of every verb that reads a table: how its files are written. */
export const sourceOptions = {
  csv: { type: 'string', value: 'OPTIONS', description: 'How CSV files are written, as under csv: of a pipeline.' },
  excel: { type: 'string', value: 'OPTIONS', description: 'Which sheet of an Excel workbook is read, as under excel: of a pipeline.' },
  storage: { type: 'string', value: 'NAME', description: 'Of s3://bucket/key: which storage of portolan.config.mts has it.' },
  postgres: { type: 'string', value: 'NAME', description: 'A database of portolan.config.mts: FILE is then a query of it, SELECT ….' },
  'file-column': { type: 'string', value: 'NAME', description: 'A further column with the name of each row’s file.' },
} as const satisfies Record<string, VerbOption>;

/** What a command says of the files of a table. */
export type GivenOptions = {
  readonly csv?: string | undefined;
  readonly excel?: string | undefined;
  readonly 'file-column'?: string | undefined;
  readonly storage?: string | undefined;
  readonly postgres?: string | undefined;
};

/** The value of an option that stands on the command line as it does in YAML. */
function written<T>(option: string, text: string, schema: z.ZodType<T>, example: string): T {
  const wrong = (problem: string): UsageError => new UsageError(`--${option}: ${problem}; for example --${option} '${example}'`);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw wrong(`is not YAML: ${(error as Error).message.split(':\n', 1)[0]}`);
  }
  const { success, data } = schema.safeParse(value);
  if (success) return data;
  const [found] = check({ value, schema, base: [], of: `--${option}`, locate: nowhere });
  throw wrong(found?.message ?? 'expressions are for pipeline files');
}

/** A path, glob or address with what the command says of it. Fails with `UsageError`. */
export function fileSpec(given: string, { csv, excel, 'file-column': fileColumn, storage, postgres }: GivenOptions, cwd: string): FileSpec {
  if (postgres !== undefined) {
    if ((csv ?? excel ?? fileColumn ?? storage) !== undefined)
      throw new UsageError('rows of a query are as they are', 'take the other options away');
    return { postgres, query: given };
  }
  const wrong = isAddress(given) ? addressProblem(given) : undefined;
  if (wrong) throw new UsageError(`${given}: ${wrong.message}`, wrong.remedy);
  const path = resolvePath(given, cwd);
  if (storage !== undefined && !isS3(path)) throw new UsageError('--storage is of s3://bucket/key', 'take it away');
  if ((csv ?? excel ?? fileColumn ?? storage) === undefined) return path;
  return {
    ...(isS3(path) ? { s3: path, ...(storage !== undefined && { storage }) } : isAddress(path) ? { http: path } : { path }),
    ...(csv === undefined ? {} : { csv: written('csv', csv, csvOptions, '{ dateFormat: "%d/%m/%Y" }') }),
    ...(excel === undefined ? {} : { excel: written('excel', excel, excelOptions, '{ sheet: Films, skip: 2 }') }),
    ...(fileColumn === undefined ? {} : { fileColumn }),
  };
}
