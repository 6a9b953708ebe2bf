import type { Plan } from '../pipelines/plan.ts';
import type { NamedStart } from '../pipelines/run-start.ts';
import { undoOf } from './interpreter/undo.ts';
import type { State, World } from './interpreter/state.ts';

/** A plan that is run beneath this run, without the key that this run holds, and all that is held above it. */
export function beneath(made: Plan, { concurrency }: Plan, start: NamedStart): { own: Plan; above: string[] } {
  const above = [...(start.above ?? []), ...(concurrency === null ? [] : [concurrency.key])];
  return { own: made.concurrency !== null && above.includes(made.concurrency.key) ? { ...made, concurrency: null } : made, above };
}

/** What the run that takes this one back is started with. */
export function undoRun(state: State, world: World, start: NamedStart): { own: Plan; childStart: NamedStart } {
  const { plan, run } = world;
  const { own, above } = beneath(undoOf(state, world)!, plan, start);
  const { store, baseDir, host, who, file, given } = start;
  const childStart: NamedStart = {
    id: state.undo!.run,
    store,
    baseDir,
    host,
    who,
    connections: Object.assign({}, ...own.steps.map(({ connections }) => connections)),
    origin: { undoes: run.id },
    ...(run.time && { at: run.time.scheduledAt }),
    ...(file !== undefined && { file }),
    ...(given && { given }),
    ...(above.length > 0 && { above }),
  };
  return { own, childStart };
}
