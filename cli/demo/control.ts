import type { JournalRow } from '../../service/core/journal.ts';
import type { RequestRow } from '../../service/core/request-log.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import type { Disturbance } from '../../service/core/faults.ts';

export type Fault = { id: string; operation: string; fired: number };

/** The control plane of a local service, as the demos use it; what is waited for ends with the signal. */
export function controlOf(serviceUrl: string, signal: AbortSignal) {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(`${serviceUrl}/__control/${path}`, {
      method,
      signal,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    if (!reply.ok) throw new Error(`the service's control plane answered ${reply.status} to ${path}: ${await reply.text()}`);
    return (await reply.json().catch(() => null)) as T;
  };
  return {
    /** Orders a fault for the nth call of an operation from now; returns its id. */
    fault: async (operation: string, nth: number, action: Disturbance): Promise<string> =>
      (await call<{ id: string }>('POST', 'faults', { operation, nth, do: action })).id,
    faults: async (): Promise<Fault[]> => (await call<{ faults: Fault[] }>('GET', 'faults')).faults,
    /** True once a call is held by the fault; false when time ran out. */
    held: async (id: string, timeoutMs: number): Promise<boolean> =>
      (await call<{ occupied: boolean }>('POST', 'holds/wait', { id, timeoutMs })).occupied,
    release: (id: string): Promise<unknown> => call('POST', 'release', { id }),
    limit: (limit: LimitClass, count: number | null, seconds: number): Promise<unknown> =>
      call('POST', 'limits', { class: limit, count, seconds }),
    /** Seconds that turns of agents take. */
    pace: (from: number, to: number): Promise<unknown> => call('POST', 'agents', { pace: { from, to } }),
    journal: async (): Promise<JournalRow[]> => (await call<{ rows: JournalRow[] }>('GET', 'journal')).rows,
    requests: async (): Promise<RequestRow[]> => (await call<{ rows: RequestRow[] }>('GET', 'requests')).rows,
  };
}

export type DemoControl = ReturnType<typeof controlOf>;
