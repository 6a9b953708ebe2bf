import { readFile } from 'node:fs/promises';
import type { RunSnapshot } from '../../runs/view.ts';
import { number } from '../../text/units.ts';
import { serve } from '../support/serve.ts';
import type { World } from '../support/world.ts';

/** Fates of a step as each of them counts: the view, the ledger, the report. Without those of 0. */
export type Counted = { view: Fates; ledger: Fates; report: Fates };
type Fates = { [fate: string]: number };

const sorted = (fates: Fates): Fates =>
  Object.fromEntries(
    Object.entries(fates)
      .flatMap(([name, count]) => (count > 0 ? [[name, count] as const] : []))
      .sort(([a], [b]) => a.localeCompare(b)),
  );

/** What a step's view counts, by fate: an own sweep says of its items only what is not `done`. */
function ofView({ view }: RunSnapshot, step: string): Fates {
  const { done = 0, bytes: _bytes, ...named } = view.steps.find(({ id }) => id === step)!.counts ?? {};
  const others = Object.values(named).reduce((sum, count) => sum + count, 0);
  return sorted({ ...named, ...(others < done ? { done: done - others } : {}) });
}

const cells = /<tr><td>([^<]*)<\/td><td><span class="fate [^"]*">([^<]*)<\/span><\/td><td class="n">([\d,]+)<\/td>/g;

/** Counts of one step of a run that is over, read where a person reads them. */
export async function countedOf(world: World, run: string, step: string): Promise<Counted> {
  const snapshot = await world.ended(run);
  const ledger = (await world.store(run).countItems()).filter((each) => each.step === step);
  await world.portolan(['report', run]);
  const page = await readFile(world.store(run).path('report.html'), 'utf8');
  const rows = [...page.matchAll(cells)].filter(([, of]) => of === step);
  return {
    view: ofView(snapshot, step),
    ledger: sorted(Object.fromEntries(ledger.map(({ status, count }) => [status, count]))),
    report: sorted(Object.fromEntries(rows.map(([, , fate, count]) => [fate!, Number(count!.replaceAll(',', ''))]))),
  };
}

/** Whether all say the same, and the service has what they know to be done, and no more than what they do not know beside it. */
export function agree({ view, ledger, report }: Counted, fate: string, server: number): boolean {
  const same = JSON.stringify(view) === JSON.stringify(ledger) && JSON.stringify(ledger) === JSON.stringify(report);
  const known = ledger[fate] ?? 0;
  return same && server >= known && server <= known + (ledger['unknown'] ?? 0);
}

export const words = (fates: Fates): string =>
  Object.entries(fates)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(' ') || 'nothing';

/** A service of one's own: counts what it was asked to do, and can hold the nth request until it is let go. */
export async function createCounting(): Promise<
  { url: string; done: Set<string>; hold: (nth: number) => { held: () => Promise<void>; release: () => void } } & AsyncDisposable
> {
  const done = new Set<string>();
  let asked = 0;
  let order: { nth: number; held: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | undefined;
  const service = await serve((request, response) => {
    void (async () => {
      request.resume();
      asked++;
      done.add(request.url!);
      if (order?.nth === asked) {
        order.held.resolve();
        await order.released.promise;
      }
      response.end('{}');
    })();
  });
  return {
    url: service.url,
    done,
    hold(nth) {
      asked = 0;
      const { held, released } = (order = { nth, held: Promise.withResolvers(), released: Promise.withResolvers() });
      return { held: () => held.promise, release: released.resolve };
    },
    async [Symbol.asyncDispose]() {
      order?.released.resolve();
      await service[Symbol.asyncDispose]();
    },
  };
}
