import { isHere, sourceBytes } from '../../child/source-files.ts';
import type { Config } from '../../config/load.ts';
import { tooFewRows, type KnownRows } from '../../pipelines/forecast/too-few-rows.ts';
import { datasetsOf } from '../../pipelines/forecast/datasets.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { isAsked, sourceOf } from '../../pipelines/source-name.ts';
import type { DatasetFacts, Step } from '../../pipelines/step.ts';
import { connectionFacts } from './connection-facts.ts';
import { lendTables } from './lent-tables.ts';
import { lookAtDatasets } from './look-at-datasets.ts';
import { measureTables } from './measure-tables.ts';

/** A table of more bytes is not read once more before a run: hardly one of them has fewer rows than a map needs. */
const mostBytes = 1_000_000;

/**
 * The datasets and tables of a plan with a map that may have too few rows; nothing where the rows are enough, whatever the datasets hold: then
 * nobody asks the service for them.
 */
export async function lookAtFewRows(
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  config: Config,
  signal: AbortSignal,
): Promise<KnownRows | undefined> {
  const named = plan.steps.filter(({ use }) => steps[use]?.concurrency);
  // As if none of them were there: then only the rows of the tables count.
  const bare: ReadonlyMap<string, DatasetFacts> = new Map(named.map(({ id }) => [id, { exists: false, rows: 0 }]));
  const few = (known: KnownRows): boolean =>
    plan.steps.some((step) => tooFewRows(step, plan, steps, { ...known, datasets: datasetsOf(plan, steps, known.datasets) }));
  // By tables without rows: is there a map at all of which it could be said?
  const none = { rows: 0, bytes: 0, sent: 0, shards: 0, arrowBytes: [0, 0] as [number, number] };
  if (!few({ datasets: bare, table: () => none }) || !(await areSmall(plan))) return undefined;
  await using tables = lendTables();
  const { tables: measured } = await measureTables(plan, {
    steps,
    datasets: bare,
    connection: connectionFacts(config),
    tables,
    mark: async () => undefined,
    there: async () => undefined,
    signal,
  });
  const table: KnownRows['table'] = (step) => measured.get(step);
  if (!few({ datasets: bare, table })) return undefined;
  return { datasets: await lookAtDatasets(plan, steps, config, () => undefined), table };
}

/** Every table is a small file of this host. */
async function areSmall({ sources }: Plan): Promise<boolean> {
  const tables = sources.filter(({ raw }) => !raw).map((source) => sourceOf(source));
  const small = await Promise.all(
    tables.map(async (source) => !isAsked(source) && (await isHere(source)) && (await sourceBytes(source)) <= mostBytes),
  );
  return small.every(Boolean);
}
