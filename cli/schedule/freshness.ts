import { pathToFileURL } from 'node:url';
import { changesBetween, type Change } from '../../runs/schedule/changes.ts';
import type { ScheduleState } from '../../runs/schedule/read.ts';
import type { Project } from '../project/project.ts';
import { compileFile } from '../start/compile-file.ts';

/** A schedule's file against what is scheduled. */
export type Freshness = { file_is: 'same' } | { file_is: 'edited'; changes: Change[] } | { file_is: 'unreadable'; why: string };

/** Compiles the file of a schedule as it was compiled for it: whether it is still the same. */
export async function freshnessOf({ config }: Project, state: ScheduleState, cwd: string): Promise<Freshness> {
  const { plan, start } = state.input;
  const { environment, connection, accept, schedule } = state;
  if (start.file === undefined) return { file_is: 'unreadable', why: 'the schedule has recorded no file' };
  try {
    const compiled = await compileFile({ cwd, options: { env: environment, connection, accept } }, config, start.file, {
      former: Object.fromEntries(
        (start.given ?? []).flatMap((name) => (Object.hasOwn(plan.params, name) ? [[name, plan.params[name]!]] : [])),
      ),
      timed: true,
      offline: true,
    });
    if (!compiled.schedule) return { file_is: 'edited', changes: [{ at: 'schedule', from: timingOf(schedule) }] };
    const store = pathToFileURL(config.store).href;
    const now = { schedule: compiled.schedule, plan: compiled.plan, start: { ...start, store, connections: compiled.connections } };
    const changes = changesBetween({ schedule, plan, start }, now);
    return changes.length === 0 ? { file_is: 'same' } : { file_is: 'edited', changes };
  } catch (error) {
    return { file_is: 'unreadable', why: (error as Error).message };
  }
}

const timingOf = ({ cron, every }: ScheduleState['schedule']): string => cron ?? every!;
