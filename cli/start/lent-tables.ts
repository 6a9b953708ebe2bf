import { isHere } from '../../child/source-files.ts';
import type { Tables } from '../../child/tables.ts';
import { landedTables, type Land } from '../../landing/landed-tables.ts';
import { isRemote, tablesOf } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';

/** Tables for all files that a command looks at, and their child processes: none where no file names a source. */
export type LentTables = AsyncDisposable & {
  /** The first call starts a child, which takes longer than what a command does until it needs one: ask early. */
  get(): Promise<Tables>;
  /** True of a source whose files are all on this host, or that the command fetches. */
  reaches(source: SourceSpec): Promise<boolean>;
};

/** `land`: of a command that fetches what is elsewhere. `signal` ends what is being looked at. */
export function lendTables({ land, signal }: { land?: Land | undefined; signal?: AbortSignal } = {}): LentTables {
  let made: Promise<Tables> | undefined;
  let closed = false;
  const make = async (): Promise<Tables> => {
    const { createTables } = await import('../../child/host/create-tables.ts');
    const tables = createTables({ signal });
    await tables.warm();
    return land ? landedTables(tables, land) : tables;
  };
  return {
    // Where a command fails, what it does side by side may still come here.
    get: () => (closed ? Promise.reject(new Error('tables are closed')) : (made ??= make())),
    reaches: async (source) =>
      (await Promise.all(tablesOf(source).map(async ([, file]) => (isRemote(file) ? land !== undefined : isHere(file))))).every(Boolean),
    async [Symbol.asyncDispose]() {
      closed = true;
      await (await made)?.close();
    },
  };
}
