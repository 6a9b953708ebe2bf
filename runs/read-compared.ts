import type { Forecast } from '../pipelines/forecast/forecast.ts';
import type { Plan } from '../pipelines/plan.ts';
import { planFile } from '../store/run-record.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { compare, sentCalls, type Compared } from './compare.ts';
import type { RunSnapshot } from './view.ts';

/** Holds a run against a plan by what it has left in its folder. */
export async function readCompared({ store: uri, view }: Pick<RunSnapshot, 'store' | 'view'>, forecast: Forecast): Promise<Compared> {
  const store = createRunStore(uri);
  const [events, counts, plan] = await Promise.all([
    store.events().catch(() => []),
    store.countItems().catch(() => []),
    store.readJson<Plan>(planFile).catch(() => undefined),
  ]);
  return compare(forecast, { view, sent: sentCalls(events), counts, ...(plan && { plan: plan.steps }) });
}
