import { undoneSteps } from '../../pipelines/forecast/undo.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { RunOrigin } from '../../pipelines/run-start.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { findRun, type StoredPlace } from '../../runs/find.ts';
import { findRunToUndo } from '../../runs/newest.ts';
import { undecidedItems } from '../../runs/undecided-items.ts';
import { standingOn } from '../../runs/standing-on.ts';
import { readUndo } from '../../runs/undo.ts';
import { isOver, readRun } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { noRecord, planFile } from '../../store/run-record.ts';
import type { RunView } from '../../workflows/messages.ts';
import { exit } from '../frame/exit.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { defineVerb } from '../frame/verb.ts';
import { projectSteps } from '../project/own-steps.ts';
import { withRuns } from '../project/project.ts';
import { createPaint } from '../render/paint.ts';
import { renderUndo } from '../render/undo.ts';
import { connectionsFor } from '../start/compile-file.ts';
import { lendToStart } from '../start/land-here.ts';
import { launch, launchOptions } from '../start/launch.ts';
import { fateOption, questionOf, settledItems } from '../start/settled-items.ts';
import { checkAccepted } from '../undo/accepted.ts';
import { corrected } from '../undo/corrected.ts';
import { lackingFor, refuseLacking } from '../undo/lacking.ts';

/** Refuses a run that is a step of another one which goes on with what it gave. */
async function refuseBelow(place: StoredPlace, origin: RunOrigin | undefined): Promise<void> {
  if (!origin || !('run' in origin)) return;
  const { view } = await readRun(place, await findRun(place, origin.run));
  if (!isOver(view))
    throw new UsageError(
      `it is the step ${origin.step} of run ${view.run}, which has not ended (${view.state})`,
      `wait for that: portolan watch ${view.run}`,
    );
}

/** Refuses steps that are to be taken back although they failed, and cannot be: they did not, or their undo reads what they gave. */
function refuseUnknown(failed: readonly string[], offers: readonly string[]): void {
  const unknown = failed.find((id) => !offers.includes(id));
  if (unknown !== undefined)
    throw new UsageError(
      `--failed: '${unknown}' is no step that failed or was cancelled, and whose undo reads nothing of it`,
      offers.length === 0 ? 'leave it out: there is none' : `one of ${offers.join(', ')}`,
    );
}

export const undo = defineVerb({
  name: 'undo',
  summary: 'Take back what a run has done, as its file says, the last step first.',
  usage: '[RUN]',
  details: `Starts a run that carries out the undo of each step that is done, or whose failure was tolerated: a step is taken back once all that
stood on it is. What will be done, and what stays, is said first. RUN must have ended; its plan counts, not its file as it is now, but for
--file: how steps are undone is read there, what ran stays as it was.
A failure leaves what stands on it as it is, and the rest is taken back; a second undo does what is left.
Without RUN it is the newest run of this run store that is no undo itself, also after its undo.
Exit code: as of portolan run; 0 where all is undone already.`,
  options: {
    'dry-run': { type: 'boolean', description: 'Say what would be done, and start nothing.' },
    file: { type: 'string', value: 'NEW', description: 'The pipeline file with a corrected undo (default: as it was when the run began).' },
    failed: {
      type: 'string',
      value: 'STEP',
      multiple: true,
      description: 'Take back this step too, which failed or was cancelled, whatever it had done: its undo reads nothing of it.',
    },
    ...fateOption,
    ...launchOptions,
  },
  examples: ['portolan undo ingest-2026-11-21-b2c4 --dry-run', 'portolan undo ingest-2026-11-21-b2c4 --file pipelines/ingest.yaml'],
  run: (context) =>
    withRuns(context, async (project) => {
      const { options, terminal } = context;
      const { place, config } = project;
      const location = await findRunToUndo(place, context.args[0]);
      const snapshot = await readRun(place, location);
      const { view, store, source } = snapshot;
      const { record } = location;
      if (view.undoes !== undefined)
        throw new UsageError(`run ${view.run} takes run ${view.undoes} back itself`, `go on with it: portolan undo ${view.undoes}`);
      if (!isOver(view) || source !== 'result')
        throw new UsageError(
          `run ${view.run} has not ended (${view.state})`,
          `wait for it (portolan status ${view.run}), or portolan cancel ${view.run}`,
        );
      await refuseBelow(place, record?.origin);
      const folder = createRunStore(store);
      const former = await folder.readJson<Plan>(planFile);
      if (!former) throw new UsageError(`the folder of run ${view.run} is gone, and its plan with it`, 'undo it by hand');
      if (!record) throw noRecord(folder, 'undo it by hand: how stands in plan.json beside it');
      const steps = withOwn(await projectSteps(config));
      const accept = options.accept ?? [];
      const elsewhere = options['no-check'] ?? false;
      await using tables = lendToStart(config, context);
      const taken =
        options.file === undefined
          ? { ...record, plan: former }
          : await corrected({ snapshot, plan: former, record }, options.file, { config, cwd: context.cwd, tables, elsewhere });
      const failed = options.failed ?? [];
      const found = await readUndo(place, snapshot, taken.plan, { steps, accept, failed });
      refuseUnknown(failed, found.offers);
      const { id, plan } = found;
      const undone = plan ? undoneSteps(plan.steps, steps) : [];
      const stands = await standingOn(place, view.run, new Set(undone.map(({ step }) => step)));
      const { stays } = found;
      if (options.json) terminal.document('event', { type: 'undo', of: view.run, steps: undone, stays, stands });
      else terminal.out(renderUndo(view, { steps: undone, stays, stands }, createPaint(terminal.color)));
      if (!plan) {
        const last = found.former[0]?.run ?? [...found.elsewhere.values()][0];
        if (last === undefined && stays.length > 0)
          throw new CommandError(`nothing of run ${view.run} can be undone`, {
            remedy: `${beneath(view)}say how beside a step (undo: { use: … }), then: portolan undo ${view.run} --file FILE; portolan docs concepts, "Undo"`,
          });
        if (!options.json)
          terminal.out(last ? `run ${view.run} is undone: ${last}\n` : `run ${view.run} has done nothing that an undo takes back\n`);
        return exit.done;
      }
      const { given, time } = record;
      const { baseDir, file } = taken;
      const compiled = {
        plan,
        baseDir,
        ...connectionsFor(plan),
        ...(time && { at: time.scheduledAt }),
        open: { steps, loaded: file === undefined ? {} : { file } },
      };
      const lacking = await lackingFor(compiled, config, { elsewhere });
      if (options['dry-run']) {
        for (const { says, remedy } of lacking) terminal.err(`${says}: an undo is refused before it sends anything\n  ${remedy}\n`);
        return exit.done;
      }
      refuseLacking(lacking);
      checkAccepted({ of: view.run, plan, stands }, steps, accept);
      const settled = settledItems(options.fate);
      const before = [...found.former, ...found.beside];
      const runs = before.map((each) => ({ former: each, unclear: [] }));
      for (const undecided of await undecidedItems(runs, plan, steps, {}, settled)) throw questionOf(undecided, plan);
      return await launch(context, project, {
        id,
        origin: { command: 'undo', undoes: view.run },
        compiled,
        ...(given && { given }),
        ...(before.length > 0 && {
          former: { runs: before, ...(Object.keys(settled).length > 0 && { settled }) },
        }),
      });
    }),
});

/** How what a run took over is taken back, where it took over anything: beneath it. */
function beneath({ run, steps }: RunView): string {
  const by = steps.find(({ reusedFrom }) => reusedFrom !== undefined)?.reusedFrom;
  return by === undefined ? '' : `what run ${by} did is taken back by: portolan undo ${by} --accept ${run}; of what this run did, `;
}
