import { parse } from 'yaml';
import type { CsvOptions, FileSpec } from '../../pipelines/source-spec.ts';
import { csvOptions } from '../../pipelines/steps/source.ts';
import { UsageError } from '../frame/errors.ts';
import type { VerbOption } from '../frame/verb.ts';

/** Options of every verb that reads a table: how its files are written. */
export const sourceOptions = {
  csv: { type: 'string', value: 'OPTIONS', description: 'How CSV files are written, as under csv: of a pipeline.' },
  'file-column': { type: 'string', value: 'NAME', description: 'A further column with the name of each row’s file.' },
} as const satisfies Record<string, VerbOption>;

/** The options of `--csv`, as they stand in YAML. */
function csvOf(text: string): CsvOptions {
  const { success, data, error } = csvOptions.safeParse(parse(text));
  if (success) return data;
  const { path: at, message } = error.issues[0]!;
  throw new UsageError(`--csv: ${[at.join('.'), message].filter(Boolean).join(': ')}; for example --csv '{ dateFormat: "%d/%m/%Y" }'`);
}

type Given = { readonly csv?: string | undefined; readonly 'file-column'?: string | undefined };

/** A path or glob with what the command says of it. Fails with `UsageError`. */
export function fileSpec(path: string, { csv, 'file-column': fileColumn }: Given): FileSpec {
  if (csv === undefined && fileColumn === undefined) return path;
  return { path, ...(csv === undefined ? {} : { csv: csvOf(csv) }), ...(fileColumn === undefined ? {} : { fileColumn }) };
}
