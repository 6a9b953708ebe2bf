/** What a fault does to the call that it hits. */
export type FaultAction =
  | { status: number; retryAfter?: number | 'date' }
  | { lose: 'answer' }
  | { reset: 'before' }
  | { hold: 'before' | 'after' };

export type Fault = { id: string; operation: string; nth: number; fired: number };
export type JournalRow = {
  seq: number;
  at: number;
  request_id: string;
  operation: string;
  subject: string;
  intent: string;
  changed: number;
};
export type RequestRow = {
  at: number;
  request_id: string;
  call_id: string | null;
  process: string | null;
  operation: string;
  limit_class: string;
  status: number;
  retry_after: number | null;
  ms: number;
  early_same_call: number;
  early_same_process: number;
};
export type Journal = { repeated: JournalRow[]; rows: JournalRow[]; summary: { effects: number; repeated: number; harmless: number } };
export type RequestLog = { rows: RequestRow[]; summary: { early_same_call: number; early_same_process: number } & Record<string, unknown> };

/** The control plane of a local service, as tests and proofs use it. */
export function createControl(url: () => string) {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(`${url()}/__control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} /__control/${path} answered ${reply.status}: ${text}`);
    return (text ? JSON.parse(text) : null) as T;
  };
  return {
    fault: (operation: string, nth: number, action: FaultAction, times = 1) =>
      call<{ id: string }>('POST', 'faults', { operation, nth, times, do: action }),
    faults: async () => (await call<{ faults: Fault[] }>('GET', 'faults')).faults,
    clear: () => call('DELETE', 'faults'),
    /** Resolves when a call is held by this fault: false where none was in time. */
    held: async (id: string, timeoutMs = 60_000) => (await call<{ occupied: boolean }>('POST', 'holds/wait', { id, timeoutMs })).occupied,
    release: (id: string) => call('POST', 'release', { id }),
    limit: (limit: string, count: number, seconds: number) => call('POST', 'limits', { class: limit, count, seconds }),
    journal: () => call<Journal>('GET', 'journal'),
    requests: () => call<RequestLog>('GET', 'requests'),
  };
}

export type Control = ReturnType<typeof createControl>;
