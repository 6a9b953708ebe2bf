import { createClient } from '../../client/create-client.ts';
import { rowsWithIds } from '../../client/known-rows.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import type { Config } from '../../config/load.ts';

/** Ids that are asked for at most: some reads, and not hundreds, for a line of a plan. */
const mostIds = 10_000;

/** Time that all reads of one dataset have, and one of them. */
const longestMs = { all: 15_000, one: 5_000 };

/** A dataset of a connection, and the column of its ids. */
export type DatasetOf = { connection: string; dataset: string; idField: string };

/** Which of these rows a dataset holds now; undefined where that is not known. */
export type RowsThere = (of: DatasetOf, ids: readonly string[]) => Promise<ReadonlySet<string> | undefined>;

/** Asks the services of a configuration, by reads; of too many rows, and where a service does not answer, nothing is known. */
export const askRowsThere =
  (config: Config, aborted: AbortSignal): RowsThere =>
  async ({ connection, dataset, idField }, ids) => {
    if (ids.length > mostIds) return undefined;
    try {
      const service = resolveService(config, 'maps', connection);
      const permits = createGates(config)(service);
      const maps = createClient('maps', { baseUrl: service.url, token: service.token, permits, timeoutMs: longestMs.one });
      const signal = AbortSignal.any([aborted, AbortSignal.timeout(longestMs.all)]);
      const rows = await rowsWithIds({ maps, project: dataset, idField, size: service.tuning.batch.ids, signal }, ids);
      return new Set(rows.keys());
    } catch {
      aborted.throwIfAborted();
      return undefined;
    }
  };
