import { parse } from 'yaml';
import { resolvePath } from '../../pipelines/compile/params.ts';
import { addressProblem } from '../../pipelines/source-address.ts';
import { isAddress } from '../../pipelines/source-name.ts';
import type { z } from 'zod';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { csvOptions, excelOptions } from '../../pipelines/steps/source.ts';
import { UsageError } from '../frame/errors.ts';
import type { VerbOption } from '../frame/verb.ts';

/** Options of every verb that reads a table: how its files are written. */
export const sourceOptions = {
  csv: { type: 'string', value: 'OPTIONS', description: 'How CSV files are written, as under csv: of a pipeline.' },
  excel: { type: 'string', value: 'OPTIONS', description: 'Which sheet of an Excel workbook is read, as under excel: of a pipeline.' },
  'file-column': { type: 'string', value: 'NAME', description: 'A further column with the name of each row’s file.' },
} as const satisfies Record<string, VerbOption>;

/** What a command says of the files of a table. */
export type GivenOptions = {
  readonly csv?: string | undefined;
  readonly excel?: string | undefined;
  readonly 'file-column'?: string | undefined;
};

/** The value of an option that stands on the command line as it does in YAML. */
function written<T>(option: string, text: string, schema: z.ZodType<T>, example: string): T {
  const { success, data, error } = schema.safeParse(parse(text));
  if (success) return data;
  const { path: at, message } = error.issues[0]!;
  throw new UsageError(`--${option}: ${[at.join('.'), message].filter(Boolean).join(': ')}; for example --${option} '${example}'`);
}

/** A path, glob or address with what the command says of it. Fails with `UsageError`. */
export function fileSpec(given: string, { csv, excel, 'file-column': fileColumn }: GivenOptions, cwd: string): FileSpec {
  const wrong = isAddress(given) ? addressProblem(given) : undefined;
  if (wrong) throw new UsageError(`${given}: ${wrong.message}`, wrong.remedy);
  const path = resolvePath(given, cwd);
  if ((csv ?? excel ?? fileColumn) === undefined) return path;
  return {
    ...(isAddress(path) ? { http: path } : { path }),
    ...(csv === undefined ? {} : { csv: written('csv', csv, csvOptions, '{ dateFormat: "%d/%m/%Y" }') }),
    ...(excel === undefined ? {} : { excel: written('excel', excel, excelOptions, '{ sheet: Films, skip: 2 }') }),
    ...(fileColumn === undefined ? {} : { fileColumn }),
  };
}
