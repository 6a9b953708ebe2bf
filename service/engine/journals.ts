import type { JournalRow } from '../core/journal.ts';
import type { Records } from '../core/records/database.ts';
import type { Datasets } from './datasets/store.ts';

/** Reads the journals of the small records and of every dataset, or of `only` one of them, as one in the order of time. */
export const readJournals =
  (records: Records, datasets: Datasets) =>
  async (only?: string): Promise<JournalRow[]> => {
    const projects = records.all<{ id: string }>('SELECT id FROM projects WHERE id = coalesce(?, id) ORDER BY rowid', only ?? null);
    const stores = [records.journal()];
    // A dataset without a file has no effects; reading it would make one.
    for (const { id } of projects) if (datasets.has(id)) stores.push(await datasets.use(id, (dataset) => dataset.journal()));
    return stores.flat().toSorted((a, b) => a.at - b.at || a.seq - b.seq);
  };
