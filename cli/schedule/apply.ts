import { hostname } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import type { RunStart } from '../../pipelines/run-start.ts';
import { applySchedule } from '../../runs/schedule/apply.ts';
import { changesBetween } from '../../runs/schedule/changes.ts';
import { scheduleName } from '../../pipelines/schedule-name.ts';
import { previewSchedule, type SchedulePreview } from '../../runs/schedule/preview.ts';
import { readSchedule, type ScheduleMemo } from '../../runs/schedule/read.ts';
import { informWatch } from '../../runs/schedule/inform-watch.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { whoIs, type Project } from '../project/project.ts';
import { createPaint } from '../render/paint.ts';
import { milliseconds } from '../../text/duration.ts';
import { duration } from '../../text/units.ts';
import { timing } from '../../runs/schedule/timing.ts';
import { renderChanges, renderPreview } from '../render/schedules.ts';
import { bareForecast } from '../start/bare-forecast.ts';
import { checkConnections } from '../start/check-connections.ts';
import { missingFor, refuseMissing } from '../start/check-missing.ts';
import { compileFile } from '../start/compile-file.ts';
import { lendToStart } from '../start/land-here.ts';
import type { LentTables } from '../start/lent-tables.ts';
import { applyCommand } from './apply-command.ts';
import type { ScheduleContext } from './context.ts';

/** Compiles files as `run` does and shows what the server would get; with `--yes` it gets it. */
export async function applySchedules(context: ScheduleContext, project: Project, files: readonly string[]): Promise<number> {
  await using tables = lendToStart(project.config, context);
  // A mistake in any of them is found before the first is applied.
  const compiled: Timed[] = [];
  for (const file of files) compiled.push(await compileTimed(context, project, file, tables));
  for (const each of compiled) await applyFile(context, project, each);
  return exit.done;
}

type Compiled = Awaited<ReturnType<typeof compileFile>>;
type Timed = Compiled & { file: string; schedule: NonNullable<Compiled['schedule']>; preview: SchedulePreview };

/** A file that says when it runs, checked as far as it is without its place on the server. */
async function compileTimed(context: ScheduleContext, { config, place }: Project, file: string, tables: LentTables): Promise<Timed> {
  const compiled = await compileFile(context, config, file, { timed: true, tables });
  const { schedule, reached, open } = compiled;
  if (schedule === undefined)
    throw new UsageError(
      `${open.shown} does not say when it runs`,
      'add a line such as schedule: { cron: "15 6 * * 1-5", timezone: Europe/Madrid }',
    );
  if (!context.options['no-check']) {
    refuseMissing(missingFor(compiled, config));
    await checkConnections(config, reached);
  }
  const preview = await previewSchedule(place.client, schedule, Date.now());
  if (preview.next.length === 0)
    throw new UsageError(`${open.shown}: no run is ever due by '${timing(schedule)}'`, 'name a day that the month has');
  refuseLongJitter(open.shown, schedule, preview);
  return { ...compiled, file, schedule, preview };
}

async function applyFile(context: ScheduleContext, project: Project, compiled: Timed): Promise<void> {
  const { options, terminal } = context;
  const { plan, schedule, connections, open, file, preview } = compiled;
  const { place } = project;
  const name = scheduleName(plan.pipeline, options.env);
  const there = await readSchedule(place, name);
  const start: RunStart = {
    store: pathToFileURL(project.config.store).href,
    baseDir: compiled.baseDir,
    host: hostname(),
    who: whoIs(context),
    connections,
    file: open.loaded.file,
    given: Object.keys(open.params),
  };
  const memo: ScheduleMemo = {
    schedule,
    ...(options.env === undefined ? {} : { environment: options.env }),
    ...(options.connection === undefined ? {} : { connection: options.connection }),
    ...(options.accept === undefined ? {} : { accept: options.accept }),
    appliedAt: new Date().toISOString(),
  };
  const changes = there ? changesBetween({ ...there, ...there.input }, { schedule, plan, start }) : [];
  const is = there === undefined ? 'new' : changes.length > 0 ? 'changed' : 'same';
  const applied = is !== 'same' && (options.yes ?? false);
  if (applied) await applySchedule(place, { name, plan, start, memo }, there);
  // The command before may have ended in between; one that knows takes it for nothing new.
  else if (options.yes && there && !there.paused) await informWatch(place, { name, ...there.input }, 'due');

  if (options.json) {
    terminal.document('applied', { name, file: open.shown, is, applied, planHash: plan.hash, changes, ...preview });
    return;
  }
  const paint = createPaint(terminal.color);
  terminal.out(`${paint.bold(name)}  ${timing(schedule)}  plan ${plan.hash.slice(0, 12)}  ${words[is]}\n`);
  terminal.out(renderChanges(changes, paint));
  terminal.out(renderPreview(preview, schedule, paint));
  for (const { step, says } of bareForecast(plan, open.steps).irreversible.filter(({ unapproved }) => unapproved))
    terminal.out(paint.red(`${step} fails in a run where it would act: ${says} (not approved: by a gate, or --accept ${step})\n`));
  if (applied) terminal.out(`applied${there?.paused ? '; it is paused still: portolan schedule resume ' + name : ''}\n`);
  else if (is !== 'same') terminal.out(`nothing was applied: ${applyCommand(file, options)}\n`);
}

/** Of a cron line only the server knows how far its times lie apart. */
function refuseLongJitter(file: string, { jitter }: Schedule, { next }: SchedulePreview): void {
  if (jitter === undefined) return;
  const times = next.map(({ scheduledAt }) => Date.parse(scheduledAt));
  const least = Math.min(...times.slice(1).map((at, before) => at - times[before]!));
  if (milliseconds(jitter) < least) return;
  throw new UsageError(
    `${file}: jitter ${jitter} is not shorter than the ${duration(least)} between two runs: one would start when the next one is due`,
    'write a shorter jitter into the file',
  );
}

const words = { new: 'new', changed: 'changed', same: 'as it is scheduled' } as const;
