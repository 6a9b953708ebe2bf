import type { RunSnapshot } from '../../runs/view.ts';
import { limitingNow } from '../../runs/limiting.ts';
import type { RunView, StepStatus } from '../../workflows/messages.ts';
import { connectionsLine, type ConnectionSummary } from './connections.ts';
import { nextRates, type Rates } from './rates.ts';
import { stepDetail, stepTime } from './step-detail.ts';
import { clock, duration } from '../../text/units.ts';

/** What is reported of a run without a terminal: one line, or with --json one object, each. */
export type Happening =
  | { type: 'started'; at: string; run: string; pipeline: string; workflowId: string; connections: { [service: string]: string } }
  | {
      type: 'step';
      at: string;
      step: string;
      use: string;
      status: StepStatus;
      detail: string;
      ms?: number;
      counts?: { [name: string]: number };
    }
  | { type: 'progress'; at: string; step: string; done: number; total?: number; unit: string; perSecond?: number; detail: string }
  | { type: 'now'; at: string; limiting: string[] }
  | { type: 'state'; at: string; state: RunView['state'] };

/** What was reported last; goes in and comes out of `nextHappenings`. */
export type Reported = {
  rates: Rates;
  steps: { [id: string]: StepStatus };
  /** When the try that is waited for begins. */
  retries: { [id: string]: string };
  progress: { [id: string]: { done: number; at: number } };
  limiting: string;
  state: RunView['state'] | undefined;
};

export const nothingReported: Reported = { rates: {}, steps: {}, retries: {}, progress: {}, limiting: '', state: undefined };

/** A step's progress is reported after another tenth of its total, or after this time. */
const progressEveryMs = 5_000;

// Waiting times count down on every look: only a change of cause is a happening.
const withoutFigures = (text: string): string => text.replace(/\d+(\.\d+)? s\b/g, '');

/** What changed since the last look at the run. Pure. */
export const nextHappenings = (reported: Reported, snapshot: RunSnapshot, now: number): { happenings: Happening[]; reported: Reported } => {
  const { view } = snapshot;
  const at = new Date(now).toISOString();
  const rates = nextRates(reported.rates, view, now);
  const happenings: Happening[] = [];
  const progress = { ...reported.progress };
  const steps = { ...reported.steps };
  const retries = { ...reported.retries };
  if (reported.state === undefined)
    happenings.push({
      type: 'started',
      at,
      run: view.run,
      pipeline: view.pipeline,
      workflowId: snapshot.workflowId,
      connections: snapshot.connections,
    });
  for (const step of view.steps) {
    // What turns do is the progress of their loop, but for what somebody has to know.
    if (step.turn && step.status !== 'approval' && step.status !== 'failed') continue;
    const detail = stepDetail(step, view, rates[step.id], now);
    const retry = step.retries?.at;
    if (step.status !== (reported.steps[step.id] ?? 'waiting') || (retry !== undefined && retry !== reported.retries[step.id])) {
      const ms = step.endedAt ? stepTime(step, now) : undefined;
      happenings.push({
        type: 'step',
        at,
        step: step.id,
        use: step.use,
        status: step.status,
        detail,
        ...(ms !== undefined && { ms }),
        ...(step.counts && { counts: step.counts }),
      });
      steps[step.id] = step.status;
      if (retry !== undefined) retries[step.id] = retry;
    } else if (step.status === 'running' && step.progress) {
      const { done, total, unit } = step.progress;
      const last = progress[step.id] ?? { done: 0, at: step.startedAt ? Date.parse(step.startedAt) : now };
      if (done === last.done) continue;
      if (!(total && done - last.done >= total / 10) && now - last.at < progressEveryMs) continue;
      const perSecond = rates[step.id]?.perSecond;
      happenings.push({
        type: 'progress',
        at,
        step: step.id,
        done,
        ...(total !== undefined && { total }),
        unit,
        ...(perSecond !== undefined && { perSecond: Math.round(perSecond * 10) / 10 }),
        detail,
      });
      progress[step.id] = { done, at: now };
    }
  }
  const limiting = limitingNow(snapshot, now).map(({ text }) => text);
  const key = withoutFigures(limiting.join('|'));
  if (key !== reported.limiting) happenings.push({ type: 'now', at, limiting });
  if (reported.state !== undefined && view.state !== reported.state) happenings.push({ type: 'state', at, state: view.state });
  return { happenings, reported: { rates, steps, retries, progress, limiting: key, state: view.state } };
};

/** One line of a happening, for a log. */
export const happeningLine = (happening: Happening, connections: readonly ConnectionSummary[] = []): string => {
  const head = clock(happening.at);
  switch (happening.type) {
    case 'started':
      return `${head} ${happening.pipeline} run ${happening.run}   ${connectionsLine(happening.connections, connections)}`.trimEnd();
    case 'step':
      return `${head} ${happening.step} ${statusWords(happening)}${happening.ms === undefined ? '' : ` (${duration(happening.ms)})`}`;
    case 'progress':
      return `${head} ${happening.step} ${happening.detail}`;
    case 'now':
      return `${head} now: ${happening.limiting.join(' · ') || 'nothing limits this run'}`;
    case 'state':
      return `${head} run ${happening.state}`;
  }
};

/** What became of a step: its status, and what more is known of it. */
const statusWords = ({ status, detail }: { status: string; detail: string }): string =>
  detail === '' || detail === status ? status : detail.startsWith(`${status}: `) ? detail : `${status}: ${detail}`;
