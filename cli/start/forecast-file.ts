import { join } from 'node:path';
import type { Config } from '../../config/load.ts';
import { forecast, type Forecast } from '../../pipelines/forecast/forecast.ts';
import { folderOf, openly } from '../../pipelines/instantiate.ts';
import { rootOf } from '../../runs/find.ts';
import type { CompiledFile } from './compile-file.ts';
import { connectionFacts } from './connection-facts.ts';
import { planIfKnown } from './check-used.ts';
import type { LentTables } from './lent-tables.ts';
import { listItems } from './list-items.ts';
import { marksNow } from './known-marks.ts';
import { lookAtBudgets } from './look-at-budgets.ts';
import { lookAtDatasets } from './look-at-datasets.ts';
import { lookAtNamedFiles } from './look-at-named-files.ts';
import { lookAtSpend } from './look-at-spend.ts';
import { measureTables, type Unread } from './measure-tables.ts';
import { addUnsaid, keepRefused, type NotAsked } from './not-asked.ts';
import { askRowsThere } from './rows-there.ts';

/** `notAsked`: services that were to be asked and gave no answer; none with `offline`. */
export type FileForecast = { forecast: Forecast; unread: Unread[]; notAsked: NotAsked[] };

/** What a run of a compiled file would do: by the sources on this host, and, unless `offline`, by reads of its services. */
export async function forecastFile(
  { plan, open, baseDir }: Pick<CompiledFile, 'plan' | 'open' | 'baseDir'>,
  config: Config,
  options: { offline?: boolean; tables: LentTables; signal: AbortSignal },
): Promise<FileForecast> {
  const { steps } = open;
  const { offline = false, tables: lent, signal } = options;
  const pipelines = new Map<string, Forecast>();
  const inPipelines: Unread[] = [];
  const { refused, notAsked } = keepRefused();
  for (const step of plan.steps.filter(({ kind }) => kind === 'pipeline')) {
    const sub = plan.pipelines![String(step.version)]!;
    // Of parameters that are known only in the run their expressions are left.
    const made = planIfKnown(step, plan, baseDir) ?? openly(sub, plan);
    const inside = await forecastFile({ plan: made, open, baseDir: folderOf(sub) }, config, options);
    pipelines.set(step.id, inside.forecast);
    addUnsaid(notAsked, ...inside.notAsked);
    inPipelines.push(...inside.unread.map((each) => ({ ...each, step: `${step.id}.${each.step}` })));
  }
  const connection = connectionFacts(config);
  const there = askRowsThere(config, signal);
  const datasets = offline ? new Map() : await lookAtDatasets(plan, steps, config, refused);
  const { tables, unread } = await measureTables(plan, {
    steps,
    datasets,
    connection,
    tables: lent,
    mark: marksNow(rootOf(config.store)),
    there: async (_, of, ids) => of && there(of, ids),
    plansDir: join(config.dir, 'plans'),
    signal,
  });
  const named = await lookAtNamedFiles(plan, { tables: lent, measured: tables, baseDir, signal });
  const listed = await listItems(plan, steps);
  const spent = offline ? new Map() : await lookAtSpend(plan, config, refused);
  const budgets = offline ? new Map() : await lookAtBudgets(plan, config, signal, refused);
  return {
    forecast: forecast(plan, steps, { table: (step) => tables.get(step), datasets, named, listed, spent, budgets, connection, pipelines }),
    unread: [...unread, ...inPipelines],
    notAsked,
  };
}
