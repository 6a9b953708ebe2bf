import { scheduleName } from '../../pipelines/schedule-name.ts';
import { readSchedule } from '../../runs/schedule/read.ts';
import { argument } from '../../text/shell.ts';
import type { VerbContext } from '../frame/verb.ts';
import type { Project } from '../project/project.ts';
import type { CompiledFile } from '../start/compile-file.ts';
import { freshnessOf } from './freshness.ts';

/** Says where what is scheduled of a file is older than the file: it keeps to the plan that was applied, whatever is run by hand. */
export async function sayOlder(
  { terminal, cwd }: Pick<VerbContext, 'terminal' | 'cwd'>,
  project: Project,
  { plan, open }: Pick<CompiledFile, 'plan' | 'open'>,
): Promise<void> {
  // A server that says nothing of schedules may start runs all the same.
  const state = await readSchedule(project.place, scheduleName(plan.pipeline, open.environment)).catch(() => undefined);
  if (!state || state.input.start.file !== open.loaded.file) return;
  const { file_is: is } = await freshnessOf(project, state, cwd);
  if (is !== 'edited') return;
  terminal.err(
    `schedule ${state.name} is older than this file and goes on as it was: portolan schedule show ${argument(state.name)} says what differs\n`,
  );
}
