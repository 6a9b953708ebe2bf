import { controlOf } from './control.ts';

/** What goes wrong in the demo, through the local service's control plane, and the proof that it did. */
export function demoTrouble(serviceUrl: string, killWorker: () => void, report: (line: string) => void) {
  const waiting = new AbortController();
  const control = controlOf(serviceUrl, waiting.signal);
  const ids: string[] = [];

  return {
    async arm(): Promise<void> {
      ids.push(await control.fault('maps.data.addArrow', 1, { status: 429, retryAfter: 3 }));
      const held = await control.fault('maps.data.addArrow', 2, { hold: 'after' });
      ids.push(held);
      ids.push(await control.fault('maps.indices.create', 1, { lose: 'answer' }));
      // Not awaited: it happens in the middle of the run.
      void control.held(held, 120_000).then(
        async (occupied) => {
          if (!occupied) return;
          killWorker();
          report('killed the worker (SIGKILL) after the service had stored the rows and before its answer arrived');
          await control.release(held);
        },
        () => undefined,
      );
    },
    /** Nothing is waited for any more. */
    end: (): void => waiting.abort(),
    /** One line per fault; a fault that never struck is said as such. */
    async account(): Promise<string[]> {
      const faults = await control.faults();
      return faults
        .filter(({ id, fired }) => ids.includes(id) && fired === 0)
        .map(({ operation }) => `! the fault on ${operation} never struck: this run showed less than it should`);
    },
  };
}
