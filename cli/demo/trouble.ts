type Fault = { id: string; operation: string; fired: number };

/** What goes wrong in the demo, through the local service's control plane, and the proof that it did. */
export function demoTrouble(serviceUrl: string, killWorker: () => void, report: (line: string) => void) {
  const waiting = new AbortController();
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(`${serviceUrl}/__control/${path}`, {
      method,
      signal: waiting.signal,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    if (!reply.ok) throw new Error(`the service's control plane answered ${reply.status} to ${path}: ${await reply.text()}`);
    return (await reply.json().catch(() => null)) as T;
  };
  const fault = (operation: string, nth: number, action: unknown): Promise<{ id: string }> =>
    call('POST', 'faults', { operation, nth, do: action });
  const ids: string[] = [];

  return {
    async arm(): Promise<void> {
      ids.push((await fault('maps.data.addArrow', 1, { status: 429, retryAfter: 3 })).id);
      const held = await fault('maps.data.addArrow', 2, { hold: 'after' });
      ids.push(held.id);
      ids.push((await fault('maps.indices.create', 1, { lose: 'answer' })).id);
      // Not awaited: it happens in the middle of the run.
      void call<{ occupied: boolean }>('POST', 'holds/wait', { id: held.id, timeoutMs: 120_000 }).then(
        async ({ occupied }) => {
          if (!occupied) return;
          killWorker();
          report('killed the worker (SIGKILL) after the service had stored the rows and before its answer arrived');
          await call('POST', 'release', { id: held.id });
        },
        () => undefined,
      );
    },
    /** Nothing is waited for any more. */
    end: (): void => waiting.abort(),
    /** One line per fault; a fault that never struck is said as such. */
    async account(): Promise<string[]> {
      const { faults } = await call<{ faults: Fault[] }>('GET', 'faults');
      return faults
        .filter(({ id, fired }) => ids.includes(id) && fired === 0)
        .map(({ operation }) => `! the fault on ${operation} never struck: this run showed less than it should`);
    },
  };
}
