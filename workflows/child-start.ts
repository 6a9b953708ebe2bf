import { ApplicationFailure } from '@temporalio/workflow';
import { folderOf, instantiate, WrongParam } from '../pipelines/instantiate.ts';
import { isKept } from '../pipelines/kept.ts';
import { childRunId, type NamedStart } from '../pipelines/run-start.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { storeBeside } from '../text/store-beside.ts';
import type { FormerTry, Plan, SubPlan } from '../pipelines/plan.ts';
import { byRows, unlessUndone } from '../pipelines/undo-ids.ts';
import type { Json } from '../text/json.ts';
import { renamedPath } from '../text/renamed-path.ts';
import { beneath } from './beneath.ts';
import { placeOf } from './interpreter/block.ts';
import { listsAround, pathByItem } from './interpreter/by-item.ts';
import type { ChildState, State, World } from './interpreter/state.ts';

/** What the run of a step is started with. Fails with `BadInput` where its parameters are not what its file declares. */
export function childStartOf(
  step: string,
  child: ChildState,
  state: State,
  { plan, run }: World,
  start: NamedStart,
): { own: Plan; childStart: NamedStart } {
  const { block, planned } = placeOf(plan, step);
  const byItem = pathByItem(state, block, planned.id);
  const lists = run.former && listsAround(state, block);
  const sub = plan.pipelines![String(planned.version)]!;
  const given = state.steps[step]!.input as { [name: string]: Json };
  const made = planOf(sub, given, start.baseDir, plan);
  const before = [
    ...triesBefore(step, child.run, state, start),
    ...unlessUndone(run.former?.runs ?? [], step).map((former) => earlier(former, step)),
  ];
  const { own, above: held } = beneath(made, plan, start);
  const { store, host, who } = start;
  const childStart: NamedStart = {
    id: child.run,
    store,
    baseDir: folderOf(sub),
    host,
    who,
    connections: Object.assign({}, ...own.steps.map(({ connections }) => connections)),
    origin: { run: run.id, step },
    as: `${run.as ?? plan.pipeline}.${byItem ?? step}`,
    ...(byItem !== undefined && { turn: { step, byItem, ...(lists && { lists }), store: run.store } }),
    ...(run.time && { at: run.time.scheduledAt }),
    file: sub.file,
    given: Object.keys(given),
    ...(held.length > 0 && { above: held }),
    ...(before.length > 0 && { before: { runs: before, late: lateSteps(sub, own) } }),
    ...(run.former?.settled && { former: { runs: [], settled: run.former.settled } }),
  };
  return { own, childStart };
}

/** The tries before this one, the last one first. */
function triesBefore(step: string, run: string, state: State, start: NamedStart): FormerRun[] {
  const turn = state.steps[step]!.retries?.begun ?? 0;
  const ids = Array.from({ length: turn }, (_, at) => childRunId(start.id, step, turn - at)).filter((id) => id !== run);
  return ids.map((id) => ({ run: id, store: storeOf(start.store, id) }));
}

const storeOf = (root: string, run: string): string => `${root.replace(/\/$/, '')}/${run}`;

/** The run that a step was in an earlier run, by the names that its steps had there; how many tries it had is known on the worker. */
function earlier(former: FormerRun, step: string): FormerTry {
  const { run, store, renamed } = former;
  const path = renamedPath(step, renamed);
  const id = childRunId(run, path, 1);
  return {
    run: id,
    store: storeBeside({ store }, id),
    of: { run, path, ...(byRows(former, step) && { rowsUndone: true }) },
  };
}

/** Steps whose files are known only when they run: what they gave may be of other bytes. */
const lateSteps = ({ paths }: SubPlan, { steps, sources }: Plan): string[] =>
  steps.flatMap(({ id, kind, with: input }) => {
    const given = (field: string): boolean => (input as { [field: string]: Json })[field] !== undefined;
    const known = (field: string): boolean => sources.some((source) => source.step === id && source.field === field);
    return kind !== 'pipeline' && (paths[id] ?? []).some((field) => given(field) && !known(field)) ? [id] : [];
  });

function planOf(sub: Parameters<typeof instantiate>[0], given: { [name: string]: Json }, folder: string, { pipelines }: Plan): Plan {
  try {
    if (isKept(given)) throw new WrongParam('the parameters of a pipeline have 4 KiB at most: write long texts into a file');
    return instantiate(sub, given, folder, pipelines);
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      (error instanceof Error ? error.message : String(error)).toWellFormed(),
      error instanceof Error ? error.name : 'Error',
    );
  }
}
