import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Ids of one file: what the ledger takes at once. */
const idsPerFile = 50_000;

/** Writes ids into `ids-00000.json` … of a folder, lists of at most 50,000; `close` answers their names. */
export function createIdsFiles(folder: string) {
  const names: string[] = [];
  let pending: string[] = [];
  const flush = async (): Promise<void> => {
    const name = `ids-${String(names.length).padStart(5, '0')}.json`;
    await writeFile(join(folder, name), JSON.stringify(pending.slice(0, idsPerFile)));
    pending = pending.slice(idsPerFile);
    names.push(name);
  };
  return {
    async add(ids: readonly string[]): Promise<void> {
      for (const id of ids) pending.push(id);
      while (pending.length >= idsPerFile) await flush();
    },
    async close(): Promise<string[]> {
      if (pending.length > 0) await flush();
      return names;
    },
  };
}
