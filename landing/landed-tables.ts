import type { Tables } from '../child/tables.ts';
import { fileName, hasRemote, isAsked, optionsOf, tablesOf, withFiles, isRemote } from '../pipelines/source-name.ts';
import type { FileSpec, RemoteFile, SourceSpec } from '../pipelines/source-spec.ts';

/** Where a fetched file is on this host. */
export type Land = (file: RemoteFile, signal: AbortSignal | undefined) => Promise<string>;

/** A source whose files are all on this host, by the paths of those that were fetched. */
export async function landed(source: SourceSpec, land: Land, signal?: AbortSignal): Promise<SourceSpec> {
  const paths = new Map<string, string>();
  for (const [, file] of tablesOf(source)) if (isRemote(file)) paths.set(fileName(file), await land(file, signal));
  return withFiles(source, (file): FileSpec => ({ path: paths.get(fileName(file))!, ...optionsOf(file) }));
}

/** Tables that also open what is elsewhere: it is fetched first. */
export function landedTables(tables: Tables, land: Land): Tables {
  const here = async (source: SourceSpec, signal?: AbortSignal): Promise<SourceSpec> =>
    hasRemote(source) ? landed(source, land, signal) : source;
  return {
    ...tables,
    inspect: async (source, options) => tables.inspect(await here(source, options?.signal), { mayBeEmpty: isAsked(source), ...options }),
    checkColumns: async (source, columns, id, since) => tables.checkColumns(await here(source), columns, id, since),
    measure: async (request, options) => tables.measure({ ...request, source: await here(request.source, options?.signal) }, options),
    preview: async (source, options) => tables.preview(await here(source, options?.signal), options),
    listRows: async (request, options) => tables.listRows({ ...request, source: await here(request.source, options?.signal) }, options),
    newFiles: async (source, seen, which, options) =>
      tables.newFiles((await here(source, options?.signal)) as FileSpec, seen, which, options),
    shard: async (request, options) => tables.shard({ ...request, source: await here(request.source, options?.signal) }, options),
    arrowFile: async (request, options) => tables.arrowFile({ ...request, source: await here(request.source, options?.signal) }, options),
  };
}
