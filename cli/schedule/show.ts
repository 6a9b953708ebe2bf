import { relative } from 'node:path';
import { listRuns } from '../../runs/list.ts';
import type { Change } from '../../runs/schedule/changes.ts';
import { previewSchedule } from '../../runs/schedule/preview.ts';
import { findSchedule, listSchedules, type ScheduleState } from '../../runs/schedule/read.ts';
import { zoned } from '../../text/zone.ts';
import { counted } from '../../text/units.ts';
import type { Document } from '../json/documents.ts';
import { exit } from '../frame/exit.ts';
import type { Project } from '../project/project.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { plain } from '../../text/controls.ts';
import { renderRuns } from '../render/runs.ts';
import { timing } from '../../runs/schedule/timing.ts';
import { renderChanges, renderPreview } from '../render/schedules.ts';
import { table } from '../render/table.ts';
import type { ScheduleContext } from './context.ts';
import { applyCommand } from './apply-command.ts';
import { freshnessOf, type Freshness } from './freshness.ts';

const documentOf = (state: ScheduleState, freshness: Freshness): Document<'schedule'> => {
  const { name, schedule, environment, input, paused, note, appliedAt, next, running, started, missed, overlapped } = state;
  const { connections, file, who } = input.start;
  return {
    name,
    pipeline: input.plan.pipeline,
    planHash: input.plan.hash,
    schedule,
    ...(environment === undefined ? {} : { environment }),
    connections,
    ...(file === undefined ? {} : { file }),
    paused,
    note,
    appliedAt,
    appliedBy: who,
    next,
    running,
    started,
    missed,
    overlapped,
    ...freshness,
  };
};

const fileWords: Readonly<Record<Freshness['file_is'], string>> = {
  same: '',
  edited: 'older than its file',
  unreadable: 'its file cannot be compiled',
};

/** `portolan schedule list`: a line for each, and below them what differs of those that are older than their files. */
export async function showSchedules({ options, terminal, cwd }: ScheduleContext, project: Project): Promise<number> {
  const paint = createPaint(terminal.color);
  const rows: string[][] = [];
  const older: string[] = [];
  for (const state of await listSchedules(project.place)) {
    const freshness = await freshnessOf(project, state, cwd);
    if (options.json) terminal.document('schedule', documentOf(state, freshness));
    const { schedule, paused, next } = state;
    rows.push([
      state.name,
      paused ? paint.yellow('paused') : paint.green('active'),
      timing(schedule),
      next[0] === undefined ? '' : `next ${zoned(schedule.timezone, Date.parse(next[0]))}`,
      paint.yellow(fileWords[freshness.file_is]),
    ]);
    if (freshness.file_is === 'edited') older.push(olderLines(state, freshness.changes, cwd, paint));
  }
  if (!options.json)
    terminal.page(rows.length === 0 ? 'no schedules yet: portolan schedule apply FILE\n' : [table(rows), ...older].join(''));
  return exit.done;
}

/** Runs that `show` lists. */
const shownRuns = 10;

/** `portolan schedule show NAME`. */
export async function showSchedule({ options, terminal, cwd }: ScheduleContext, project: Project, name: string): Promise<number> {
  const state = await findSchedule(project.place, name);
  const [freshness, preview, runs] = await Promise.all([
    freshnessOf(project, state, cwd),
    previewSchedule(project.place.client, state.schedule, Date.now()),
    listRuns(project.place, { limit: shownRuns, schedule: name, store: state.input.start.store }),
  ]);
  if (options.json) {
    terminal.document('schedule', { ...documentOf(state, freshness), preview, runs });
    return exit.done;
  }
  const paint = createPaint(terminal.color);
  terminal.out(headOf(state, cwd, paint));
  terminal.out(freshnessLines(state, freshness, cwd, paint));
  terminal.out(renderPreview(preview, state.schedule, paint));
  terminal.out(runs.length === 0 ? 'no runs yet\n' : `runs\n${renderRuns(runs, paint)}`);
  return exit.done;
}

function headOf(state: ScheduleState, cwd: string, paint: Paint): string {
  const { name, schedule, paused, note, input, appliedAt, running, started, missed, overlapped } = state;
  const { overlap, catchUp, pauseOnFailure, timezone } = schedule;
  const counts = [
    `${counted(started, 'run')} started`,
    ...(running > 0 ? [`${running} going on`] : []),
    ...(overlapped > 0 ? [`${overlapped} left out while one went on`] : []),
    ...(missed > 0 ? [paint.red(`${missed} missed by more than ${catchUp}`)] : []),
  ];
  const applied = `applied ${zoned(timezone, Date.parse(appliedAt))} by ${plain(input.start.who)}`;
  const file = input.start.file === undefined ? '' : ` from ${plain(relative(cwd, input.start.file))}`;
  return [
    `${paint.bold(name)}  ${timing(schedule)}  ${paused ? paint.yellow(`paused${note === '' ? '' : `: ${plain(note)}`}`) : paint.green('active')}`,
    `  overlap ${overlap}, catch-up ${catchUp}${pauseOnFailure ? ', pauses on failure' : ''}`,
    `  plan ${input.plan.hash.slice(0, 12)}, ${applied}${file}`,
    `  ${counts.join(', ')}`,
    '',
  ].join('\n');
}

function freshnessLines(state: ScheduleState, freshness: Freshness, cwd: string, paint: Paint): string {
  if (freshness.file_is === 'same') return '';
  if (freshness.file_is === 'unreadable') return paint.yellow(`${fileWords.unreadable}: ${plain(freshness.why)}\n`);
  return olderLines(state, freshness.changes, cwd, paint);
}

/** What differs of a schedule that is older than its file, and the command that applies the file as it was applied before. */
function olderLines(
  { name, input, environment, connection, accept }: ScheduleState,
  changes: readonly Change[],
  cwd: string,
  paint: Paint,
): string {
  const { plan, start } = input;
  const gone = new Set(changes.flatMap(({ at, to }) => (to === undefined ? [at] : [])));
  const param = (start.given ?? []).flatMap((given) => {
    const value = plan.params[given];
    if (value === undefined || gone.has(`params.${given}`)) return [];
    return [`${given}=${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  const command = applyCommand(relative(cwd, start.file!), { env: environment, connection, param, accept });
  return `${paint.yellow(`${name} is older than its file: ${plain(command)}`)}\n${renderChanges(changes, paint)}`;
}
