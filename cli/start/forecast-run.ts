import { lastChanged, sourceBytes } from '../../child/source-files.ts';
import type { Config } from '../../config/load.ts';
import { forecast, type Forecast } from '../../pipelines/forecast/forecast.ts';
import type { Plan, PlanSource } from '../../pipelines/plan.ts';
import { sourceOf } from '../../pipelines/source-name.ts';
import type { DatasetFacts, Step } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { keepForecast, readForecast } from '../../runs/kept-forecast.ts';
import { planFile, recordFile, type RunRecord } from '../../store/run-record.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunView } from '../../workflows/messages.ts';
import { projectSteps } from '../project/own-steps.ts';
import { connectionFacts } from './connection-facts.ts';
import { goneInRun, marksOfRun } from './known-marks.ts';
import { lendTables } from './lent-tables.ts';
import { listItems } from './list-items.ts';
import { measureTables } from './measure-tables.ts';

export type ForecastRunOptions = {
  /** The run as it ended; asked for when all else is known. Undefined: there is no forecast. */
  view: () => Promise<RunView | undefined>;
  signal: AbortSignal;
  /** Tables of more bytes together are not measured: then there is no forecast, unless one was made before. */
  mostBytes?: number;
};

/**
 * What the plan of a run was before its first write: of the datasets as its own steps have found them, and of its tables, where these have
 * not changed since. Made once and kept in the run's folder; undefined where the run has left no plan.
 */
export async function forecastRun(
  uri: string,
  config: Config,
  { view, signal, mostBytes = Infinity }: ForecastRunOptions,
): Promise<Forecast | undefined> {
  const store = createRunStore(uri);
  const kept = await readForecast(store);
  if (kept) return kept;
  const [plan, record] = await Promise.all([store.readJson<Plan>(planFile), store.readJson<RunRecord>(recordFile)]);
  if (!plan || !record) return undefined;
  const sources = await unchanged(plan, Date.parse(record.startedAt));
  const sizes = await Promise.all(sources.map((planned) => sourceBytes(sourceOf(planned))));
  if (sizes.reduce((sum, size) => sum + size, 0) > mostBytes) return undefined;

  const steps = withOwn(await projectSteps(config));
  const connection = connectionFacts(config);
  const named = plan.steps.filter(({ use }) => steps[use]?.concurrency);
  await using lent = lendTables();
  const { tables } = await measureTables(
    { ...plan, sources },
    {
      steps,
      // Of datasets whose columns nobody knows any more the first table says them.
      datasets: new Map(named.map(({ id }) => [id, { exists: false, rows: 0 }])),
      connection,
      tables: lent,
      mark: marksOfRun(store),
      there: goneInRun(store),
      signal,
    },
  );
  const listed = await listItems(plan, steps);
  const ended = await view();
  if (!ended) return undefined;
  const datasets = foundBy(ended, steps);
  const made = forecast(plan, steps, { table: (step) => tables.get(step), datasets, listed, connection });
  await keepForecast(store, made);
  return made;
}

/** The tables whose files are as old as the run. */
async function unchanged({ sources }: Plan, since: number): Promise<PlanSource[]> {
  const tables = sources.filter(({ raw }) => !raw);
  const times = await Promise.all(tables.map((planned) => lastChanged(sourceOf(planned))));
  return tables.filter((_, at) => times[at]! <= since);
}

/** The datasets as the steps that name them have found them, by step. */
function foundBy({ steps: done }: RunView, steps: Readonly<Record<string, Step>>): ReadonlyMap<string, DatasetFacts> {
  const found = new Map<string, DatasetFacts>();
  for (const { id, use, output, reusedFrom } of done) {
    if (!steps[use]?.concurrency || reusedFrom !== undefined) continue;
    const {
      created,
      id: dataset,
      rows,
      idField,
    } = (output ?? {}) as { created?: unknown; id?: unknown; rows?: unknown; idField?: unknown };
    if (created === true) found.set(id, { exists: false, rows: 0 });
    else if (typeof dataset === 'string' && typeof rows === 'number')
      found.set(id, { exists: true, id: dataset, rows, ...(typeof idField === 'string' ? { idField } : {}) });
  }
  return found;
}
