import { UsageError } from '../frame/errors.ts';
import { defineVerb } from '../frame/verb.ts';
import { withRuns, type Project } from '../project/project.ts';
import { applySchedules } from '../schedule/apply.ts';
import { scheduleOptions, type ScheduleContext } from '../schedule/context.ts';
import { reportSchedules } from '../schedule/report.ts';
import { showSchedule, showSchedules } from '../schedule/show.ts';
import { backfillSchedule, deleteSchedules, pauseSchedules, triggerSchedule } from '../schedule/steer.ts';
import { suggestion } from '../../text/nearest.ts';

type Option = keyof typeof scheduleOptions;

/** What is done to which: its own options, and how many arguments it takes. */
type Action = {
  options: readonly Option[];
  takes: 'FILE…' | 'NAME…' | '[NAME…]' | 'NAME' | '';
  run(context: ScheduleContext, project: Project, names: readonly string[]): Promise<number>;
};

/** By the name of each. */
export const actions: Readonly<Record<string, Action>> = {
  apply: { options: ['param', 'env', 'connection', 'accept', 'no-check', 'as', 'yes'], takes: 'FILE…', run: applySchedules },
  list: { options: [], takes: '', run: showSchedules },
  show: { options: [], takes: 'NAME', run: (context, project, [name]) => showSchedule(context, project, name!) },
  report: { options: [], takes: '[NAME…]', run: reportSchedules },
  pause: { options: ['note', 'as'], takes: 'NAME…', run: (context, project, names) => pauseSchedules(context, project, names, true) },
  resume: { options: ['note', 'as'], takes: 'NAME…', run: (context, project, names) => pauseSchedules(context, project, names, false) },
  trigger: { options: ['wait'], takes: 'NAME', run: (context, project, [name]) => triggerSchedule(context, project, name!) },
  backfill: {
    options: ['from', 'to', 'overlap', 'yes', 'wait'],
    takes: 'NAME',
    run: (context, project, [name]) => backfillSchedule(context, project, name!),
  },
  delete: { options: ['yes'], takes: 'NAME…', run: deleteSchedules },
};

export const schedule = defineVerb({
  name: 'schedule',
  summary: 'Pipelines that run by themselves: apply, list, show, report, pause, resume, trigger, backfill, delete.',
  usage: 'ACTION [SCHEDULE…]',
  details: `apply FILE: compiles the file as run does and shows what changes at the server, the next runs and what the next changes of the clocks
do; with --yes the server has it. Scheduled is the plan as it was then: a file that is edited later is applied again, and list says so.
A schedule is named after its pipeline (ingest), with --env ingest@prod.
report: one page with the times so far and the gaps among them, the next ones, and the watermarks.
pause, resume: no further run, and again from the next time on. trigger: a run now. backfill: the runs that were due --from … --to.
A run has the time at which it was due: \${{ run.scheduledAt }}, \${{ run.window.from }} and .to.
Exit code: 0 done, 1 failed, 2 invalid file or name; with --wait 3 where a run waits for an approval, or all that failed did so for want
of one, and 4 where all that failed were inconclusive.`,
  options: scheduleOptions,
  examples: [
    'portolan schedule apply pipelines/ingest.yaml --env prod',
    'portolan schedule apply pipelines/ingest.yaml --env prod --yes',
    'portolan schedule list',
    'portolan schedule pause ingest@prod --note "the source moves"',
    'portolan schedule backfill ingest@prod --from 2026-11-01 --to 2026-11-08 --yes --wait',
  ],
  run(context) {
    const { args, options } = context;
    const [name, ...rest] = args as [string, ...string[]];
    const action = Object.hasOwn(actions, name) ? actions[name]! : undefined;
    if (action === undefined)
      throw new UsageError(
        `schedule has no action '${name}'${suggestion(name, Object.keys(actions))}`,
        `its actions: ${Object.keys(actions).join(', ')}`,
      );
    const { takes } = action;
    const right = takes === '' ? rest.length === 0 : takes.startsWith('[') || (takes.endsWith('…') ? rest.length > 0 : rest.length === 1);
    if (!right)
      throw new UsageError(
        `schedule ${name} takes ${takes || 'no argument'}, got ${rest.length}`,
        `portolan schedule ${name} ${takes}`.trim(),
      );
    const misplaced = (Object.keys(scheduleOptions) as Option[]).find(
      (option) => options[option] !== undefined && option !== 'json' && !action.options.includes(option),
    );
    if (misplaced !== undefined) throw new UsageError(`--${misplaced} is not for schedule ${name}`, 'leave it out');
    return withRuns(context, (project) => action.run(context, project, rest));
  },
});
