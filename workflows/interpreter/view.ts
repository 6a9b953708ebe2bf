import type { PlanStep } from '../../pipelines/plan.ts';
import { costCount } from '../../pipelines/phases.ts';
import type { Json } from '../../text/json.ts';
import type { GateAsks, RunView, StepView } from '../messages.ts';
import { childAt, isOpen } from './children.ts';
import { allEnded } from './proceed.ts';
import { reactionOf, rootOf, turnOf, type Block } from './block.ts';
import { parseKey, type LoopState, type Retries, type State, type StepState, type SweepState } from './state.ts';
import type { World } from './state.ts';

/** The run as people and scripts see it. */
export function viewOf(state: State, { plan, run }: World): RunView {
  const open = openChunks(state);
  const viewsOf = (block: Block): StepView[] =>
    block.steps.flatMap((planned) => {
      const path = block.path + planned.id;
      const step = state.steps[path]!;
      const turns = Object.keys(step.loop?.open ?? {}).map((index) => turnOf(block, planned, Number(index)));
      const inner = [...turns, ...(step.reaction ? [reactionOf(block, planned, step.reaction.on)] : [])];
      return [stepView(planned, block, step, open.get(path) ?? []), ...inner.flatMap(viewsOf)];
    });
  const steps = viewsOf(rootOf(plan));
  return {
    run: run.id,
    pipeline: plan.pipeline,
    state: runState(state, steps),
    ...(state.queued ? { queued: state.queued } : {}),
    ...(state.paused ? { paused: state.paused } : {}),
    ...(state.pauses ? { pauses: state.pauses } : {}),
    steps,
    ...(state.outputs ? { outputs: state.outputs } : {}),
    ...(state.error ? { error: state.error } : {}),
    ...(state.displaced && state.cancelled ? { displaced: state.displaced } : {}),
    ...(plan.undoes ? { undoes: plan.undoes.run } : {}),
    ...(state.undo ? { undo: undoView(state.undo) } : {}),
  };
}

function runState(state: State, steps: StepView[]): RunView['state'] {
  const over = allEnded(state) && !isOpen(state.undo);
  if (state.cancelled && over) return 'cancelled';
  if (state.error && over) return state.refused ? 'refused' : 'failed';
  if (state.outputs) return 'done';
  if (state.paused) return 'paused';
  if (state.queued) return 'queued';
  const running = state.inflight.some((key) => {
    const { step, phase } = parseKey(key);
    return phase !== 'expire' && !(phase === 'child' && childAt(state, step)?.state === 'approval');
  });
  const asks = state.undo?.state === 'approval' || steps.some(({ status, child }) => status === 'approval' || child?.state === 'approval');
  return !running && asks ? 'approval' : 'running';
}

const undoView = ({ run, state, asks, report }: NonNullable<State['undo']>): NonNullable<RunView['undo']> => ({
  run,
  state,
  asks,
  ...(report?.error ? { error: report.error } : {}),
});

/** Numbers of the chunks under way, by step. */
function openChunks({ inflight }: State): Map<string, number[]> {
  const open = new Map<string, number[]>();
  for (const key of inflight) {
    const { step, chunk } = parseKey(key);
    if (chunk !== undefined) open.set(step, [...(open.get(step) ?? []), chunk]);
  }
  return open;
}

/** Counts by which chunks tell their step something else than fates begin with a dollar sign. */
const shownCounts = (counts: NonNullable<StepState['counts']>): NonNullable<StepView['counts']> =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => !name.startsWith('$')));

const progressOf = ({ counts }: StepState, { items, unit }: SweepState): NonNullable<StepView['progress']> => ({
  done: counts?.['done'] ?? 0,
  total: items,
  unit: unit ?? 'items',
  ...(counts?.['bytes'] === undefined ? {} : { bytes: counts['bytes'] }),
});

const turnsOf = ({ items, done, failed }: LoopState): NonNullable<StepView['progress']> => ({
  done: done + failed,
  ...(items === undefined ? {} : { total: items }),
  unit: 'turns',
  ...(failed > 0 ? { note: `${failed} failed` } : {}),
});

/** What a gate asks; the input may not be known yet. */
function asksOf({ approves = [] }: PlanStep, { input, expiresAt }: StepState): GateAsks {
  const { who, show } = (input ?? {}) as { who?: string; show?: Json };
  return {
    ...(who === undefined ? {} : { who }),
    ...(show === undefined ? {} : { show }),
    approves,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

const retriesOf = ({ begun, of, at, error }: Retries): NonNullable<StepView['retries']> => ({
  now: begun + (at === undefined ? 1 : 2),
  of,
  ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
  error,
});

/** The turn in which a step stands, itself or what it is done about. */
function turnIn({ of }: Pick<Block, 'of'>): Pick<StepView, 'turn'> {
  if (!of) return {};
  return of.index === undefined ? turnIn(of.block) : { turn: { of: of.block.path + of.step.id, index: of.index } };
}

function stepView(planned: PlanStep, { path, of }: Block, step: StepState, open: number[]): StepView {
  const { sweep, loop } = step;
  return {
    id: path + planned.id,
    ...turnIn({ of }),
    ...(of?.on === undefined ? {} : { reactsTo: of.block.path + of.step.id }),
    use: planned.use,
    kind: planned.kind,
    status: step.status,
    needs: planned.needs.map((need) => path + need),
    ...(step.startedAt === undefined ? {} : { startedAt: new Date(step.startedAt).toISOString() }),
    ...(step.endedAt === undefined ? {} : { endedAt: new Date(step.endedAt).toISOString() }),
    ...(sweep ? { progress: progressOf(step, sweep), chunks: { total: sweep.chunks, acknowledged: sweep.acknowledged, open } } : {}),
    ...(loop
      ? {
          progress: turnsOf(loop),
          loop: {
            ...(loop.items === undefined ? {} : { items: loop.items }),
            done: loop.done,
            failed: loop.failed,
            failures: loop.failures,
          },
        }
      : {}),
    ...(step.counts ? { counts: shownCounts(step.counts) } : {}),
    ...(step.counts?.[costCount] === undefined ? {} : { costUsd: step.counts[costCount] / 1e9 }),
    ...(step.output === undefined ? {} : { output: step.output }),
    ...(planned.kind === 'gate' ? { asks: asksOf(planned, step) } : {}),
    ...(step.decision ? { decision: step.decision } : {}),
    ...(step.child ? { child: { run: step.child.run, state: step.child.state, asks: step.child.asks } } : {}),
    ...(step.skipped ? { skipped: step.skipped } : {}),
    ...(step.error ? { error: step.error } : {}),
    ...(step.retries ? { retries: retriesOf(step.retries) } : {}),
    ...(step.inputHash === undefined ? {} : { inputHash: step.inputHash }),
    ...(step.reusedFrom === undefined ? {} : { reusedFrom: step.reusedFrom }),
  };
}

/** Markdown for the Temporal Web UI. */
export function detailsOf(view: RunView): string {
  const lines = view.steps.map((step) => {
    const progress = step.progress?.total
      ? ` ${step.progress.done.toLocaleString('en-US')} / ${step.progress.total.toLocaleString('en-US')}`
      : '';
    const acts =
      step.status === 'approval'
        ? (step.asks?.approves ?? []).flatMap(({ step: of, use, acts: does }) => `${of}: ${does.join('; ') || use}`)
        : [];
    return `- **${step.id}** (${step.use}): ${step.status}${progress}${acts.length > 0 ? `, lets ${acts.join(', ')}` : ''}`;
  });
  const paused = view.paused ? `\n\nPaused by ${view.paused.who}${view.paused.note ? `: ${view.paused.note}` : ''}` : '';
  return `${view.pipeline}: **${view.state}**\n\n${lines.join('\n')}${paused}${view.error ? `\n\n${view.error.type}: ${view.error.message}` : ''}`;
}
