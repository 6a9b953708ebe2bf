import { idInPlan } from '../../pipelines/id-in-plan.ts';
import { relative } from 'node:path';
import type { FormerRun } from '../../pipelines/former-run.ts';
import { inside, within, type Plan } from '../../pipelines/plan.ts';
import type { RunOrigin } from '../../pipelines/run-start.ts';
import { timeOf } from '../../pipelines/window.ts';
import type { Json } from '../../text/json.ts';
import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import type { Step } from '../../pipelines/step.ts';
import { findRun } from '../../runs/find.ts';
import { formerNames } from '../../runs/former-names.ts';
import { noRecord, planFile } from '../../store/run-record.ts';
import { nextCommand } from '../../runs/next-command.ts';
import { undecidedItems } from '../../runs/undecided-items.ts';
import { planReuse } from '../../runs/reuse.ts';
import { newRunId } from '../../runs/run-id.ts';
import { formerRows } from '../../store/former-rows.ts';
import { withUndone } from '../../store/undo-runs.ts';
import { keptOutputs } from '../../runs/values.ts';
import { isOver, readRun } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { compileFile } from '../start/compile-file.ts';
import { UsageError } from '../frame/errors.ts';
import { inspectHere } from '../start/inspect-sources.ts';
import { launch, launchOptions } from '../start/launch.ts';
import { lendToStart } from '../start/land-here.ts';
import { nearestWord } from '../frame/nearest.ts';
import { withRuns } from '../project/project.ts';
import { createPaint } from '../render/paint.ts';
import { renderReuse } from '../render/reuse.ts';
import { firstUndone } from '../start/first-undone.ts';
import { fateOption, questionOf, settledItems } from '../start/settled-items.ts';
import { wentOn } from '../start/went-on.ts';
import { defineVerb } from '../frame/verb.ts';
import { argument } from '../../text/shell.ts';

/** Steps with a field that names a source which no fingerprint stands for: it is known only when it runs. */
const lateSources = (plan: Plan, steps: Readonly<Record<string, Step>>): Set<string> =>
  new Set(
    plan.steps.flatMap(({ id, use, with: input }) =>
      ((use === rowsLoop.name ? rowsLoop : steps[use])?.paths ?? []).some(
        (field) =>
          (input as { [name: string]: Json })[field] !== undefined &&
          !plan.sources.some((source) => source.step === id && source.field === field),
      )
        ? [id]
        : [],
    ),
  );

/** The schedule whose run is continued, where there is one. */
const ofSchedule = (origin: RunOrigin | undefined): { ofSchedule?: string } => {
  const name = origin && ('schedule' in origin ? origin.schedule : 'ofSchedule' in origin ? origin.ofSchedule : undefined);
  return name === undefined ? {} : { ofSchedule: name };
};

/** The loops over rows to which earlier runs came: whether what became of their rows is kept. */
async function rowsKept(plan: Plan, runs: Parameters<typeof formerRows>[0]): Promise<Map<string, 'kept' | 'gone'>> {
  const kept = new Map<string, 'kept' | 'gone'>();
  for (const { id, use } of inside(plan, undefined)) {
    const [chain] = use === rowsLoop.name ? await formerRows(runs, { step: id }) : [];
    if (chain !== undefined) kept.set(id, 'why' in chain ? 'gone' : 'kept');
  }
  return kept;
}

export const rerun = defineVerb({
  name: 'rerun',
  summary: 'Run again from a step on; completed steps before it are reused.',
  usage: 'RUN',
  details: `Starts a new run of the same pipeline. STEP and all that follows it run anew; another completed step is reused where its
input, the bytes of its sources, its connection and the version of its code are what they were. Which ones is said first.
A sweep of effect 'never' does no item again that has ended: it takes over their fates, by their names, and does what failed; a step of
yours of that effect is taken over whole, and so is a call of an operation (api.call) whose repeat would be a second effect. An item of agent.run whose agent nobody knows is looked up, and launched again where it has none.
A run is continued once: while a rerun of it goes on another one is refused, and what its reruns have done counts in the next. A gate asks
again. The version of an own step is a hash of its file: what that file imports is not seen. Reused is what the run recorded: what has
changed at the service since is not looked at.
Exit code: as of portolan run.`,
  options: {
    from: { type: 'string', value: 'STEP', description: 'First step to run anew (default: the one that failed).' },
    'failed-only': {
      type: 'boolean',
      description:
        'From the first step on that has items, or turns of a loop, which are not done: of a run that is done too, which tolerated them.',
    },
    file: { type: 'string', value: 'NEW', description: 'The corrected pipeline file (default: the file of the run, as it is now).' },
    param: { type: 'string', short: 'p', value: 'K=V', multiple: true, description: 'A parameter; the others as the run had them.' },
    ...fateOption,
    ...launchOptions,
  },
  examples: [
    'portolan rerun ingest-2026-11-21-b2c4 --from rows --file pipelines/ingest.yaml',
    'portolan rerun ingest-2026-11-21-b2c4 -p source=data/fixed.json',
  ],
  run: (context) =>
    withRuns(context, async (project) => {
      const { options, terminal, cwd, signal } = context;
      const location = await findRun(project.place, context.args[0]!);
      const { view, source, store, connections } = await readRun(project.place, location);
      if (!isOver(view) || source !== 'result')
        throw new UsageError(
          `run ${view.run} has not ended (${view.state})`,
          `wait for it (portolan status ${view.run}), or portolan cancel ${view.run}`,
        );
      if (view.undoes !== undefined)
        throw new UsageError(`run ${view.run} takes run ${view.undoes} back`, `go on with it: portolan undo ${view.undoes}`);
      if (view.error?.type === 'Continued' && view.error.step === undefined)
        throw new UsageError(`run ${view.run} did nothing: ${view.error.message}`, nextCommand(view, view.error));
      const folder = createRunStore(store);
      const former = await folder.readJson<Plan>(planFile);
      const { record } = location;
      const file = options.file ?? record?.file;
      // Without them the run that goes on would be one of another environment, with parameters that nobody gave.
      if (!former)
        throw new UsageError(
          `the folder of run ${view.run} is gone, and its plan, environment and parameters with it`,
          `start its file anew: portolan run ${file === undefined ? 'FILE' : argument(file)} -p NAME=VALUE, with --env NAME where it had one`,
        );
      if (file === undefined && !record) throw noRecord(folder, 'name the pipeline file of the run: --file FILE');
      if (file === undefined) throw new UsageError(`run ${view.run} has not recorded its file`, 'name it: --file FILE');
      const given = record?.given ?? Object.keys(former.params);
      await using tables = lendToStart(project.config, context);
      const compiled = await compileFile(
        {
          ...context,
          options: { ...options, env: former.environment, connection: Object.values(connections)[0], at: record?.time?.scheduledAt },
        },
        project.config,
        file,
        {
          former: Object.fromEntries(given.flatMap((name) => (Object.hasOwn(former.params, name) ? [[name, former.params[name]!]] : []))),
          tables,
        },
      );
      const { plan, open } = compiled;
      if (plan.pipeline !== view.pipeline)
        throw new UsageError(
          `${open.shown} is the pipeline ${plan.pipeline}; run ${view.run} is of ${view.pipeline}`,
          `portolan run ${argument(open.shown)}`,
        );
      const ids = inside(plan, undefined).map(({ id }) => id);
      if (options['failed-only'] && options.from !== undefined)
        throw new UsageError('--failed-only says itself which step is the first', 'leave --from out');
      const from = options['failed-only']
        ? await firstUndone(view, { store: folder, plan: former, steps: open.steps })
        : (options.from ?? view.error?.step ?? view.steps.find(({ status }) => status === 'tolerated')?.id);
      if (options.from !== undefined && !ids.includes(options.from)) {
        const named = options.from.split(/\W+/);
        const outermost = inside(plan, undefined).find((step) => within(plan, step).some(({ id }) => named.includes(id)));
        if (outermost)
          throw new UsageError(
            `'${options.from}' stands in '${outermost.id}', and a rerun begins at no step within another`,
            `--from ${argument(outermost.id)}`,
          );
        const meant = nearestWord(options.from, ids);
        throw new UsageError(
          `${open.shown} has no step '${options.from}'${meant ? `; did you mean '${meant}'?` : ''}`,
          `its steps: ${ids.join(', ')}`,
        );
      }
      if (from === undefined && view.state === 'done')
        throw new UsageError(`run ${view.run} is done: nothing failed that could be the first step`, '--from STEP');
      const settled = settledItems(options.fate);
      const { later, undone, again } = await wentOn(project.place, { view, store }, location, {
        plan,
        steps: open.steps,
        shown: open.shown,
        from: options.from,
        settled,
      });
      const before = await withUndone<FormerRun>([...later, { run: view.run, store }, ...(location.former ?? [])]);
      const runs = await formerNames(
        before.map((each) => ({ ...each, undone: [...(each.undone ?? []), ...again] })),
        plan,
      );
      const id = newRunId(plan.pipeline);
      const sources = await inspectHere(plan, tables, signal);
      const { verdicts, reuse } = planReuse({
        plan,
        run: id,
        ...(compiled.at === undefined ? {} : { time: timeOf(Date.parse(compiled.at), plan.window) }),
        old: { view, plan: former },
        values: await keptOutputs(view),
        ...(from === undefined ? {} : { from }),
        fingerprints: Object.fromEntries(sources),
        late: lateSources(plan, open.steps),
        otherCode: new Set((await folder.events().catch(() => [])).filter(({ kind }) => kind === 'code').map(({ step }) => idInPlan(step))),
        undone,
        rows: await rowsKept(
          plan,
          runs.map((named) => named.former),
        ),
      });
      for (const undecided of await undecidedItems(runs, plan, open.steps, reuse, settled)) throw questionOf(undecided, plan);
      const continuedBy = later.map(({ run }) => run);
      if (options.json)
        terminal.document('event', { type: 'reuse', of: view.run, ...(later.length > 0 && { continuedBy }), steps: verdicts });
      else {
        const file = relative(cwd, open.loaded.file) || open.shown;
        terminal.out(renderReuse(view, { file, verdicts, continuedBy }, createPaint(terminal.color)));
      }
      return await launch(context, project, {
        id,
        origin: { command: 'rerun', ...ofSchedule(record?.origin) },
        // Its marks, and lists of mirrors, are those of the step that it is.
        ...(record?.as === undefined ? {} : { as: record.as }),
        compiled,
        given: [...new Set([...given, ...Object.keys(open.params)])],
        former: { runs: runs.map((named) => named.former), ...(Object.keys(settled).length === 0 ? {} : { settled }) },
        reuse,
      });
    }),
});
