import type { Readings } from '../../contracts/assumptions/index.ts';
import type { Service } from '../../contracts/index.ts';
import type { Disturbance } from '../../service/core/faults.ts';
import type { JournalRow } from '../../service/core/journal.ts';
import type { RequestRow } from '../../service/core/request-log.ts';

export type { JournalRow, RequestRow };

/** What a fault does to the call that it hits. */
export type FaultAction = Disturbance;

export type Fault = {
  id: string;
  operation: string;
  nth: number;
  times: number;
  do: FaultAction;
  /** Calls of the operation since it was ordered. */
  calls: number;
  fired: number;
  unfired: boolean;
};
export type Journal = { repeated: JournalRow[]; rows: JournalRow[]; summary: { effects: number; repeated: number; harmless: number } };
export type RequestLog = { rows: RequestRow[]; summary: { early_same_call: number; early_same_process: number } & Record<string, unknown> };

const pieceMs = 120_000;

/**
 * The control plane of a local service, as tests and proofs use it. Whoever orders a fault is held to it: `checkFired`
 * fails while one has not fired, and the stack of a test calls it when the test ends.
 */
export function createControl(url: () => string) {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(`${url()}/__control/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} /__control/${path} answered ${reply.status}: ${text}`);
    return (text ? JSON.parse(text) : null) as T;
  };

  // Kept here as well as at the service, which forgets them when it is killed.
  const open = new Map<string, string>();
  const faults = async (): Promise<Fault[]> => {
    const { faults: all } = await call<{ faults: Fault[] }>('GET', 'faults');
    for (const { id, unfired } of all) if (!unfired) open.delete(id);
    return all;
  };
  /** Fails where a fault that was ordered has not fired, or not as often as ordered. Each is reported once. */
  const checkFired = async (): Promise<void> => {
    if (open.size === 0) return;
    // A service that is gone cannot be asked: what was not seen to fire before did not.
    const known = await faults().catch(() => []);
    if (open.size === 0) return;
    const unfired = [...open].map(([id, what]) => {
      const fault = known.find((each) => each.id === id);
      return `${what}: ${fault ? `fired ${fault.fired} of ${fault.times}` : 'the service that had the order is gone'}`;
    });
    open.clear();
    throw new Error(`faults that were ordered and did not fire, so that nothing was shown:\n${unfired.join('\n')}`);
  };
  const release = (id: string): Promise<unknown> => call('POST', 'release', { id });
  const order = (operation: string, nth: number, action: FaultAction, times: number): Promise<{ id: string }> =>
    call<{ id: string }>('POST', 'faults', { operation, nth, times, do: action });

  return {
    /** Orders a fault for the nth call from now; it must fire. */
    fault: async (operation: string, nth: number, action: FaultAction, times = 1): Promise<{ id: string }> => {
      const made = await order(operation, nth, action, times);
      open.set(made.id, `${operation}, call ${nth}, ${JSON.stringify(action)}`);
      return made;
    },
    /** Orders a fault that may stay unfired. */
    faultIfCalled: (operation: string, nth: number, action: FaultAction, times = 1) => order(operation, nth, action, times),
    faults,
    checkFired,
    /** Forgets all faults; fails where one has not fired. */
    clear: async (): Promise<void> => {
      await checkFired();
      await call('DELETE', 'faults');
    },
    /** Resolves when a call is held by this fault: false where none was in time, and then none is held any more, in whatever comes next. */
    held: async (id: string, timeoutMs = 300_000): Promise<boolean> => {
      let occupied = false;
      // In pieces: a connection without an answer is given up after five minutes.
      for (let left = timeoutMs; left > 0 && !occupied; left -= pieceMs)
        ({ occupied } = await call<{ occupied: boolean }>('POST', 'holds/wait', { id, timeoutMs: Math.min(left, pieceMs) }));
      if (occupied) open.delete(id);
      // A fault that the service has forgotten holds nothing either.
      else await release(id).catch(() => undefined);
      return occupied;
    },
    release,
    limit: (limit: string, count: number, seconds: number) => call('POST', 'limits', { class: limit, count, seconds }),
    /** Request bodies of all connections together, in bytes per second; null: as fast as they come. */
    intake: (bytesPerSecond: number | null) => call('POST', 'intake', { bytesPerSecond }),
    /** Moves the service's clock of lifetimes, in seconds from the real time. */
    clock: (offsetSeconds: number) => call('POST', 'clock', { offsetSeconds }),
    /** Seconds that the URL of a part holds, for uploads that start from now on. */
    partUrlSeconds: (partUrlSeconds: number) => call('POST', 'lifetimes', { partUrlSeconds }),
    /** Has the service take other readings of the text; without any, those it started with. */
    assume: (readings?: Partial<Readings>) => (readings ? call('POST', 'readings', readings) : call('POST', 'readings/reset')),
    /** Of one dataset it is quick, however many there are; the small records are in it in any case. */
    journal: (projectId?: string) => call<Journal>('GET', projectId === undefined ? 'journal' : `journal?project=${projectId}`),
    requests: () => call<RequestLog>('GET', 'requests'),
    /** How long turns of agents take, in seconds of the clock that can be moved, and how many answers of their model fail. */
    agents: (order: { pace?: { from: number; to: number }; failures?: { left: number; category?: string; again?: boolean } }) =>
      call('POST', 'agents', order),
    /** Answers the question that an agent waits for. */
    answer: (agent: string, answer: string) => call('POST', 'agents/answer', { agent, answer }),
    /** What the contract of the organization gives it, and whether its projects may have budgets. */
    contract: (contract: { amountCents?: number; projectBudgets?: boolean }) => call('POST', 'contract', contract),
    /** Books a run as an agent's is booked. */
    spend: (run: { run: string; nanoUsd: number; user?: string; projectId?: string }) =>
      call<{ result: 'ok' } | { blocked: object }>('POST', 'runs', run),
    /** Sharing is the builder's, and no operation of the API. */
    share: (workflowId: string) => call('POST', 'share', { workflowId, shared: true }),
    addUser: (user: { name: string; email: string }) => call<{ id: string }>('POST', 'users', user),
    issueKey: (key: { service: Service; name: string; scopes?: string[]; user?: string }) =>
      call<{ id: string; key: string }>('POST', 'keys', key),
  };
}

export type Control = ReturnType<typeof createControl>;
