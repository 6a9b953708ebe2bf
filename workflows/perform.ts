import { proxyActivities, sleep } from '@temporalio/workflow';
import {
  activityType,
  evaluateActivity,
  inside,
  inspectActivity,
  keepActivity,
  loopActivities,
  type ActivityInput,
  type CollectInput,
  type EvaluateInput,
  type GatherInput,
  type ItemsInput,
  type KeepInput,
  type LoopBody,
  type Plan,
  type PlanStep,
  type RunRef,
} from '../pipelines/plan.ts';
import { isKept, isLarge } from '../pipelines/kept.ts';
import type { Json } from '../text/json.ts';
import { blockOf, placeOf } from './interpreter/block.ts';
import { listsAround, pathByItem } from './interpreter/by-item.ts';
import { scopeFor, scopeOf } from './interpreter/scope.ts';
import { parseKey, type Command, type State, type StepState, type World } from './interpreter/state.ts';

const minute = 60_000;

/** How long it is asked what became of a chunk: the worker that sent it may have ended, and the next one takes its time. */
const settleMinutes = 10;

/** How long a run that is to continue as new waits for a store that is away: it could not go on without it. */
const keepMinutes = 7 * 24 * 60;

/** Does a command of the interpreter: a timer or an activity. Fails as Temporal says. */
export function perform(command: Exclude<Command, { do: 'child' }>, state: State, world: World): Promise<Json> {
  const { plan, run } = world;
  if (command.do === 'timer') return sleep(command.ms).then(() => null);
  if (command.do === 'inspect') {
    return activity(inspectActivity, command.key, 'fingerprint the sources', inspectionTimeouts(plan), { run, sources: plan.sources });
  }
  if (command.do === 'evaluate') {
    const { tree, each } = command;
    const args: EvaluateInput = {
      run,
      tree,
      scope: scopeFor(tree, scopeOf(state, world, blockOf(plan, parseKey(command.key).step))),
      ...(each ? { each } : {}),
    };
    return activity(evaluateActivity, command.key, 'evaluate over the run store', { attemptMs: minute, deadlineMs: 60 * minute }, args);
  }
  const { block, planned } = placeOf(plan, command.step);
  if (command.do !== 'activity') {
    const { args, what } = forLoop(command, state, run, planned);
    return activity(
      loopActivities[command.do],
      command.key,
      `${command.step}: ${what}`,
      { attemptMs: minute, deadlineMs: 60 * minute },
      args,
    );
  }
  const { sweep, token, counts, input, retries } = state.steps[command.step]!;
  const byItem = pathByItem(state, block, planned.id);
  const lists = run.former && listsAround(state, block);
  const args: ActivityInput = {
    run,
    step: {
      id: command.step,
      ...(byItem === undefined ? {} : { byItem }),
      ...(lists ? { lists } : {}),
      use: planned.use,
      ...(planned.version === undefined ? {} : { version: planned.version }),
      connections: planned.connections,
      ...(planned.tolerate ? { tolerate: planned.tolerate } : {}),
      ...(planned.approved ? { approved: planned.approved } : {}),
      ...(triesOf(retries, sweep) > 0 ? { retry: triesOf(retries, sweep) } : {}),
    },
    input: input ?? null,
    sources: state.sources ?? {},
    ...(command.phase === 'prepare' && planned.each ? { body: bodyOf(command.step, planned, state, world) } : {}),
    ...(command.chunk === undefined ? {} : { chunk: command.chunk }),
    ...(sweep ? { state: sweep.state } : {}),
    ...(command.phase === 'finish' ? { counts: counts ?? {} } : {}),
    ...(command.phase === 'check' ? { token: token ?? null } : {}),
  };
  const phase = command.phase === 'chunk' ? 'main' : command.phase;
  const { pollMs } = planned.timeouts;
  const timeouts =
    command.phase === 'settle'
      ? { attemptMs: minute, deadlineMs: settleMinutes * minute }
      : command.phase === 'check' && pollMs !== undefined
        ? { ...planned.timeouts, deadlineMs: pollMs }
        : planned.timeouts;
  const what =
    command.chunk === undefined
      ? command.phase
      : `${command.phase === 'settle' ? 'what became of ' : ''}chunk ${command.chunk + 1} of ${sweep!.chunks}`;
  return activity(activityType(planned.use, phase), command.key, `${planned.id}: ${what === 'main' ? planned.use : what}`, timeouts, args);
}

/** What names the attempts of a chunk that is sent again apart from those before it. */
const triesOf = (retries: StepState['retries'], sweep: StepState['sweep']): number => (retries?.begun ?? 0) + (sweep?.stopped ?? 0);

/** What workers do for each row, with what its expressions see: outputs of steps that it reads. */
function bodyOf(path: string, { id, each }: PlanStep, state: State, world: World): LoopBody {
  const steps = inside(world.plan, id);
  const read = [each!.outputs, ...steps.map(({ with: input, when }) => [input, when ?? true])];
  return { ...each!, steps, scope: scopeFor(read, scopeOf(state, world, blockOf(world.plan, path))) };
}

/** Outputs of another run as one result: a worker puts it into the store of this run where it is large, or a part of it is. */
export async function wholeOutputs(outputs: { [name: string]: Json }, key: string, { run, plan }: World): Promise<Json> {
  const values = Object.values(outputs);
  if (!isLarge(outputs) && !values.some(isKept)) return outputs;
  const names = values.map((_, at) => `o${at}`);
  const args: EvaluateInput = {
    run,
    tree: Object.fromEntries(Object.keys(outputs).map((label, at) => [label, `\${{ steps.${names[at]} }}`])),
    scope: { params: plan.params, steps: Object.fromEntries(values.map((value, at) => [names[at]!, value])), run: {} },
  };
  return activity(evaluateActivity, `${key}/outputs`, 'keep what the run gave', { attemptMs: minute, deadlineMs: 60 * minute }, args);
}

/** Puts values into the run store, whatever their size, and gives what names them there. */
export const keepValues = (run: RunRef, values: Json[], batch: number): Promise<Json[]> =>
  activity(keepActivity, `/keep/${batch}`, 'keep what steps gave', { attemptMs: minute, deadlineMs: keepMinutes * minute }, {
    run,
    values,
  } satisfies KeepInput) as Promise<Json[]>;

type LoopCommand = Extract<Command, { do: keyof typeof loopActivities }>;

/** What a worker is asked for a loop. */
function forLoop(
  command: LoopCommand,
  { steps }: State,
  run: RunRef,
  { each }: PlanStep,
): { args: ItemsInput | CollectInput | GatherInput; what: string } {
  const { step } = command;
  const { input, loop } = steps[step]!;
  if (command.do === 'items') return { args: { run, list: input!, from: command.from }, what: `items from ${command.from + 1} on` };
  if (command.do === 'collect')
    return { args: { run, step, batch: command.batch, rows: command.rows }, what: `${command.rows.length} rows` };
  const { items, done, failed } = loop!;
  return {
    args: { run, step, columns: Object.keys(each!.outputs), counts: { count: items!, done, failed } },
    what: 'the table of its rows',
  };
}

/** The sources are read for their steps, and have the time of the one that has the most. */
function inspectionTimeouts({ steps, sources }: Plan): { attemptMs: number; deadlineMs: number } {
  const readers = steps.filter(({ id }) => sources.some(({ step }) => step === id)).map(({ timeouts }) => timeouts);
  const longest = (of: 'attemptMs' | 'deadlineMs'): number => Math.max(minute, ...readers.map((timeouts) => timeouts[of]));
  return { attemptMs: longest('attemptMs'), deadlineMs: longest('deadlineMs') };
}

/** Attempts are unlimited inside the deadline: waits for Retry-After use none up. */
function activity(
  type: string,
  activityId: string,
  summary: string,
  timeouts: { attemptMs: number; deadlineMs: number },
  args: unknown,
): Promise<Json> {
  const proxy = proxyActivities<Record<string, (args: unknown) => Promise<Json>>>({
    startToCloseTimeout: timeouts.attemptMs,
    scheduleToCloseTimeout: timeouts.deadlineMs,
    heartbeatTimeout: 3_000,
    // What was sent before a cancellation is recorded by whoever sent it.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    allowEagerDispatch: true,
    retry: { initialInterval: 250, backoffCoefficient: 2, maximumInterval: 30_000 },
    activityId,
    summary,
  });
  return proxy[type]!(args);
}
