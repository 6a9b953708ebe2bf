import type { Plan } from '../pipelines/plan.ts';
import type { NamedStart } from '../pipelines/run-start.ts';
import { beneath } from './beneath.ts';
import type { State, World } from './interpreter/state.ts';
import { undoOf } from './interpreter/undo.ts';

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
