import type { JournalRow } from '../service/core/journal.ts';
import type { RequestRow } from '../service/core/request-log.ts';

/** What the local service itself recorded within a time span. */
export type JournalFigures = {
  /** Calls that changed something. */
  effects: number;
  /** Changes whose intent had been carried out already. */
  repeated: number;
  /** Repeats that changed nothing. */
  harmless: number;
  /** Calls sent before the end of a Retry-After that they, or their process, had been given. */
  early: number;
};

const ask = async <T>(url: string): Promise<T> => {
  const reply = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: the service's control plane is off (portolan dev --control)`);
  return (await reply.json()) as T;
};

/** Reads the journal and the request log of a local service with its control plane on. `from` and `to` in epoch milliseconds. */
export const journalFigures = async (
  serviceUrl: string,
  { from = 0, to = Infinity }: { from?: number; to?: number } = {},
): Promise<JournalFigures> => {
  const span = new URLSearchParams({ from: String(from), ...(Number.isFinite(to) ? { to: String(to) } : {}) });
  const [journal, requests] = await Promise.all([
    ask<{ rows: JournalRow[]; repeated: JournalRow[] }>(`${serviceUrl}/__control/journal?${span.toString()}`),
    ask<{ rows: RequestRow[] }>(`${serviceUrl}/__control/requests?${span.toString()}`),
  ]);
  return {
    effects: journal.rows.filter(({ changed }) => changed > 0).length,
    repeated: journal.repeated.length,
    harmless: journal.rows.filter(({ changed }) => changed === 0).length,
    early: requests.rows.filter((row) => row.early_same_call || row.early_same_process).length,
  };
};
