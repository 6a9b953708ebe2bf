import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';
import { rootOf } from '../../runs/find.ts';
import { readOverview } from '../../runs/schedule/overview.ts';
import { schedulesPage } from '../../runs/schedule/page.ts';
import { findSchedules, listSchedules } from '../../runs/schedule/read.ts';
import { exit } from '../frame/exit.ts';
import type { Project } from '../project/project.ts';
import type { ScheduleContext } from './context.ts';

/** `portolan schedule report [NAME…]`: one page about schedules, by default all of them, in the run store. */
export async function reportSchedules(
  { options, terminal, cwd }: ScheduleContext,
  { place }: Project,
  names: readonly string[],
): Promise<number> {
  const states = names.length === 0 ? await listSchedules(place) : await findSchedules(place, names);
  const now = Date.now();
  const overviews = await Promise.all(states.map((state) => readOverview(place, state, now)));
  const root = rootOf(place.storeRoot);
  await mkdir(root, { recursive: true });
  const path = join(root, 'schedules.html');
  await writeWhole(path, schedulesPage(overviews, new Date(now).toISOString()));
  if (options.json) terminal.document('schedules', { path });
  else terminal.out(`${relative(cwd, path) || path}\n`);
  return exit.done;
}
