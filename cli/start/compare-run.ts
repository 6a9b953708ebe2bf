import type { Forecast } from '../../pipelines/forecast/forecast.ts';
import { RunProblem } from '../../runs/errors.ts';
import { readCompared } from '../../runs/read-compared.ts';
import { isOver, readRunById, type RunSnapshot } from '../../runs/view.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import type { VerbContext } from '../frame/verb.ts';
import { withStoredRuns, type StoredProject } from '../project/project.ts';
import { renderCompared } from '../render/compare.ts';
import { lookOf } from '../render/look.ts';
import { compileFile } from './compile-file.ts';
import { forecastFile } from './forecast-file.ts';
import { forecastRun } from './forecast-run.ts';
import { lendTables } from './lent-tables.ts';
import { sayNotAsked } from './not-asked.ts';

type Context = Pick<VerbContext<any>, 'args' | 'cwd' | 'signal' | 'terminal'> & {
  options: { json?: boolean; offline?: boolean; connection?: string; param?: string[]; env?: string; operations?: boolean };
};

const forFiles = ['param', 'env', 'connection', 'offline'] as const;

/** `plan --compare RUN`: a run against its plan as it was before its first write, or against that of a file as it is now. */
export function compareRun(context: Context, run: string): Promise<number> {
  checkOptions(context);
  return withStoredRuns(context, async (project) => {
    const snapshot = await readRunById(project.place, run);
    const compared = await readCompared(snapshot, await plannedOf(context, project, snapshot));
    if (context.options.json) context.terminal.document('comparison', compared);
    else context.terminal.out(renderCompared(compared, lookOf(context.terminal)));
    return exit.done;
  });
}

/** What is for a file alone is refused without one: a comparison that left it out would look like the one that was asked for. */
function checkOptions({ args, options }: Context): void {
  const misplaced = forFiles.find((name) => args[0] === undefined && options[name] !== undefined);
  if (misplaced !== undefined)
    throw new UsageError(`--${misplaced} is for the plan of a file`, 'name it: portolan plan FILE --compare RUN');
  if (options.operations)
    throw new UsageError('--operations is for a plan, and --compare shows each operation', 'leave one of the two out');
}

async function plannedOf(
  context: Context,
  { config }: StoredProject,
  { store, view }: Pick<RunSnapshot, 'store' | 'view'>,
): Promise<Forecast> {
  const { args, options, signal, terminal } = context;
  if (args[0] !== undefined) {
    await using tables = lendTables();
    const file = await compileFile(context, config, args[0], { offline: true, tables });
    const { forecast, notAsked } = await forecastFile(file, config, { offline: options.offline ?? false, tables, signal });
    for (const one of notAsked) terminal.err(sayNotAsked(one));
    return forecast;
  }
  if (!isOver(view)) throw new RunProblem(`run ${view.run} is not over`, 'name its file: portolan plan FILE --compare RUN');
  const planned = await forecastRun(store, config, { view: async () => view, signal });
  if (!planned) throw new RunProblem(`run ${view.run} has left no plan`, 'name its file: portolan plan FILE --compare RUN');
  return planned;
}
