import type { Tables } from '../../child/tables.ts';

/** Tables for all files that a command looks at, and their child processes: none where no file names a source. */
export type LentTables = AsyncDisposable & {
  /** The first call starts a child, which takes longer than what a command does until it needs one: ask early. */
  get(): Promise<Tables>;
};

export function lendTables(): LentTables {
  let made: Promise<Tables> | undefined;
  const make = async (): Promise<Tables> => {
    const { createTables } = await import('../../child/host/create-tables.ts');
    const tables = createTables();
    tables.warm();
    return tables;
  };
  return {
    get: () => (made ??= make()),
    async [Symbol.asyncDispose]() {
      await (await made)?.close();
    },
  };
}
