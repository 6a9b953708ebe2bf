import { hasEnd } from '../../pipelines/ends.ts';
import { isKept } from '../../pipelines/kept.ts';
import type { Json } from '../../text/json.ts';
import type { RunView, StepView } from '../../workflows/messages.ts';
import { asksLine } from '../../runs/asks.ts';
import { countWords } from '../../runs/count-words.ts';
import { skipWords } from '../../runs/skip-words.ts';
import { tryWords } from '../../runs/try-words.ts';
import { plain } from '../../text/controls.ts';
import { timeLeft, type Rate } from './rates.ts';
import { cost } from '../../text/money.ts';
import { bytes, counted, duration, number } from '../../text/units.ts';

const long = /^[a-z]+:\/\/|^[0-9a-f-]{32,}$/i;

/** What an output says in a few words: `movies · created`. Links and machine ids are left to the outputs of the run. */
const outputWords = (output: Json | undefined): string[] => {
  if (isKept(output)) return [`${bytes(output.bytes)} kept`];
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return [];
  return Object.entries(output).flatMap(([key, value]) => {
    if (value === true) return [key];
    if (key === 'costUsd' && typeof value === 'number') return [cost(value)];
    if (typeof value === 'number') return value === 0 ? [] : [key === 'count' ? counted(value, 'item') : `${number(value)} ${key}`];
    return typeof value === 'string' && value.length <= 40 && !long.test(value) && !/field$/i.test(key) ? [plain(value)] : [];
  });
};

/** Statuses of items that a person will want to look at. */
const troubles = ['rejected', 'failed', 'missing', 'changed'] as const;

const doneDetail = (step: StepView, run: string): string => {
  if (step.reusedFrom !== undefined) return `reused from ${plain(step.reusedFrom)}`;
  if (step.decision) return `approved by ${plain(step.decision.who)}${step.decision.note ? `: ${plain(step.decision.note)}` : ''}`;
  const counts = countWords(step.counts);
  const spent = step.costUsd === undefined ? [] : [cost(step.costUsd)];
  const words = (counts.length > 0 ? [...counts.slice(0, 4 - spent.length), ...spent] : outputWords(step.output)).slice(0, 4);
  const trouble = troubles.find((status) => (step.counts?.[status] ?? 0) > 0);
  return words.join(' · ') + (trouble ? ` (portolan items ${run} --status ${trouble})` : '');
};

const runningDetail = (step: StepView, rate: Rate | undefined, now: number): string => {
  const { retries, progress } = step;
  if (retries?.at !== undefined) return `${tryWords(retries, now)}: ${plain(retries.error.message)}`;
  const tries = retries ? `${tryWords(retries, now)} · ` : '';
  if (step.error) return `${tries}it failed: ${plain(step.error.message)}`;
  return `${tries}${progress ? progressWords(progress, rate) : step.child ? childWords(step.child) : 'started'}`;
};

const childWords = ({ run, state, asks }: NonNullable<StepView['child']>): string =>
  `run ${run}${state === 'approval' ? ` waits for a person: ${asks.join(', ')}` : state === 'paused' ? ' is paused' : ''}`;

const progressWords = (progress: NonNullable<StepView['progress']>, rate: Rate | undefined): string => {
  const amount = progress.total === undefined ? number(progress.done) : `${number(progress.done)} / ${number(progress.total)}`;
  const left = timeLeft(progress, rate);
  const done = progress.unit === '%' ? `${number(progress.done)} %` : `${amount} ${progress.unit}`;
  const note = progress.note ? plain(progress.note) : '';
  return [
    // Of a loop it says how many turns have failed; of all else what is being done.
    ...(progress.unit === 'turns' ? [done, note] : [note === '' ? done : `${note} ${done}`]),
    rate?.perSecond && progress.unit !== '%' ? `${number(rate.perSecond)}/s` : '',
    progress.bytes ? `${bytes(progress.bytes)}${rate?.bytesPerSecond ? `, ${bytes(rate.bytesPerSecond)}/s` : ''}` : '',
    left === undefined || left < 500 ? '' : `${duration(left)} left`,
  ]
    .filter(Boolean)
    .join(' · ');
};

/** The words beside a step's name: what it did, does or waits for. */
export const stepDetail = (step: StepView, view: RunView, rate: Rate | undefined, now: number): string => {
  switch (step.status) {
    case 'waiting': {
      const open = step.needs.filter((id) => view.steps.some((other) => other.id === id && !hasEnd(other.status)));
      return open.length > 0 ? `waits for ${open.join(', ')}` : 'next';
    }
    case 'running':
      return runningDetail(step, rate, now);
    case 'approval':
      return `waits for ${step.asks?.who ? plain(step.asks.who) : 'a person'}${step.asks ? ` · ${plain(asksLine(step.asks))}` : ''}`;
    case 'done':
      return doneDetail(step, view.run);
    case 'tolerated':
      return `failed, tolerated: ${plain(step.error?.message ?? 'why is not known')}`;
    case 'failed':
      return step.decision
        ? `rejected by ${plain(step.decision.who)}${step.decision.note ? `: ${plain(step.decision.note)}` : ''}`
        : plain(step.error?.message ?? 'failed');
    case 'cancelled':
      return 'cancelled';
    case 'skipped':
      return `skipped: ${skipWords(step.skipped)}`;
  }
};

/** How long a step took, or takes so far. */
export const stepTime = (step: StepView, now: number): number | undefined =>
  step.startedAt === undefined ? undefined : (step.endedAt === undefined ? now : Date.parse(step.endedAt)) - Date.parse(step.startedAt);
