import { relative } from 'node:path';
import { listRuns } from '../../runs/list.ts';
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
  edited: 'older than its file: portolan schedule apply',
  unreadable: 'its file cannot be compiled',
};

/** `portolan schedule list`. */
export async function showSchedules({ options, terminal, cwd }: ScheduleContext, project: Project): Promise<number> {
  const paint = createPaint(terminal.color);
  const rows: string[][] = [];
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
  }
  if (!options.json) terminal.page(rows.length === 0 ? 'no schedules yet: portolan schedule apply FILE\n' : table(rows));
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
    listRuns(project.place, { limit: shownRuns, schedule: name }),
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
  const file = plain(relative(cwd, state.input.start.file!));
  return `${paint.yellow(`what is scheduled is older than its file: portolan schedule apply ${file} --yes`)}\n${renderChanges(freshness.changes, paint)}`;
}
