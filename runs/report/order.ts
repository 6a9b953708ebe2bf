import type { Json } from '../../text/json.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { planFile, recordFile, type RunRecord } from '../../store/run-record.ts';

/** What was started: the pipeline file, absolute, the values of its parameters with the names of those that were given, and the plan. */
export type Order = { file?: string | undefined; params: { [name: string]: Json }; given: readonly string[]; plan: Plan };

/** Undefined where the run's folder has lost it. Fails with `DamagedFile` where its plan is not what was written there. */
export async function readOrder(store: RunStore): Promise<Order | undefined> {
  const [plan, record] = await Promise.all([store.readJson<Plan>(planFile), store.readJson<RunRecord>(recordFile).catch(() => undefined)]);
  return plan && { file: record?.file, params: plan.params, given: record?.given ?? [], plan };
}
