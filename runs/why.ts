import { displacedBy } from '../pipelines/lock.ts';
import type { Plan } from '../pipelines/plan.ts';
import type { ItemRecord, RunEvent, RunStore } from '../store/run-store.ts';
import { continuedWords, lastContinuation, type LastContinuation } from './continued-words.ts';
import { asksLine } from './asks.ts';
import { limitingNow } from './limiting.ts';
import { recordFile, type RunRecord } from '../store/run-record.ts';
import { remedyFor } from '../errors/remedies.ts';
import { nextCommand } from './next-command.ts';
import type { RunLine } from './list.ts';
import { skipWords } from './skip-words.ts';
import type { StoredPlace } from './find.ts';
import { lastUndo } from './last-undo.ts';
import { triesLine } from './try-words.ts';
import { undoWords } from './undo-words.ts';
import type { RunSnapshot } from './view.ts';
import { argument } from '../text/shell.ts';

/** Root cause of a run's state: a headline and at most four labelled lines. */
export type Why = {
  run: string;
  state: RunSnapshot['view']['state'];
  headline: string;
  step?: string;
  /** Class of the failure: `ApiError`, `BadInput` … */
  type?: string;
  lines: { label: 'because' | 'at' | 'tries' | 'first' | 'request' | 'remedy' | 'now'; text: string }[];
};

/** What the run store adds to what the workflow says. */
export type WhyFacts = {
  counts: { step: string; status: string; count: number }[];
  /** First troubled item of the failing step. */
  example?: ItemRecord;
  events: RunEvent[];
  tolerate?: Plan['steps'][number]['tolerate'];
  /** The run's pipeline file, as the person names it. */
  file?: string;
  /** The last run that takes this one back. */
  undone?: RunLine['undone'];
  /** The last run that goes on from this one. */
  continued?: LastContinuation;
  /** Where in the code of an own step it failed: file, line and column, the innermost first. */
  at?: readonly string[];
};

/** Fates of items that count as trouble, worst first. */
const troubled = ['failed', 'rejected', 'missing', 'changed'] as const;

const number = (n: number): string => n.toLocaleString('en-US');
const percent = (share: number): string => `${(share * 100).toFixed(share * 100 < 10 ? 1 : 0)} %`;

const tolerated = (rule: { share?: number; count?: number } | undefined): string =>
  rule?.share !== undefined ? `, tolerated ${percent(rule.share)}` : rule?.count !== undefined ? `, tolerated ${number(rule.count)}` : '';

/** Status with the most troubled items of a step, and its share. */
const worst = (facts: WhyFacts, step: string): { status: string; count: number; total: number } | undefined => {
  const own = facts.counts.filter((each) => each.step === step);
  const total = own.reduce((sum, { count }) => sum + count, 0);
  const found = troubled
    .flatMap((status) => own.filter((each) => each.status === status && each.count > 0))
    .sort((a, b) => b.count - a.count)[0];
  return found && { status: found.status, count: found.count, total };
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;

const failed = ({ view }: RunSnapshot, facts: WhyFacts, now: number): Why => {
  const error = view.error ?? { type: 'unknown', message: 'the run ended without saying why' };
  const step = view.steps.find(({ id }) => id === error.step);
  const took = step?.startedAt && step.endedAt ? ` (${seconds(Date.parse(step.endedAt) - Date.parse(step.startedAt))})` : '';
  // Waits are no attempts, and a step of many chunks has some of each.
  const attempts = facts.events.filter((event) => event.step === error.step && (event.kind === 'retry' || event.kind === 'failure')).length;
  const items = error.step === undefined ? undefined : worst(facts, error.step);
  // A message that counts the items itself needs no second count.
  const figures =
    items && !error.message.includes(` ${items.status}`)
      ? `; ${number(items.count)} of ${number(items.total)} items ${items.status} (${percent(items.count / items.total)}${tolerated(facts.tolerate?.[items.status])})`
      : '';
  const request = [
    error.details?.operation,
    error.details?.status === undefined ? undefined : `answered ${error.details.status}`,
    (error.details?.requestId ?? facts.example?.request_id) ? `id ${error.details?.requestId ?? facts.example?.request_id}` : undefined,
  ].filter(Boolean);
  return {
    run: view.run,
    state: view.state,
    headline: `${view.run} failed${error.step ? ` in step ${error.step}` : ''}${attempts > 1 ? ` after ${attempts} failed attempts` : ''}${took}`,
    ...(error.step !== undefined && { step: error.step }),
    type: error.type,
    lines: [
      { label: 'because', text: `${error.message}${figures} (${error.type})` },
      ...(facts.at && facts.at.length > 0 ? [{ label: 'at' as const, text: facts.at.join(', from ') }] : []),
      ...(step ? triesOf([step], now, 'tries') : []),
      ...(facts.example
        ? [{ label: 'first' as const, text: `${facts.example.item}${facts.example.reason ? `: ${facts.example.reason}` : ''}` }]
        : []),
      ...(request.length > 0 ? [{ label: 'request' as const, text: request.join(', ') }] : []),
      ...(step?.child ? [{ label: 'now' as const, text: `${step.id} is run ${step.child.run}: portolan why ${step.child.run}` }] : []),
      ...undoLines(view, facts),
      remedyLine(view, error, facts),
    ],
  };
};

/** What to do about a failure; where another run has gone on since, how that stands. */
const remedyLine = (
  view: RunSnapshot['view'],
  error: NonNullable<RunSnapshot['view']['error']>,
  { continued, file }: Pick<WhyFacts, 'continued' | 'file'>,
): Why['lines'][number] => ({
  label: 'remedy',
  text: continued ? continuedWords(continued) : `${remedyFor(error)}, then: ${nextCommand(view, error, file)}`,
});

/** How far a run is taken back, and why that failed. */
function undoLines({ run, undo }: RunSnapshot['view'], { undone }: WhyFacts): Why['lines'] {
  if (!undone) return [];
  const failure = undone.state === 'done' || undone.run !== undo?.run || !undo.error ? '' : `: ${undo.error.message}`;
  const next = undone.state === 'done' || undone.state === 'running' ? '' : `; what is left: portolan undo ${run}`;
  return [{ label: 'now', text: `${undoWords(undone)}${failure}${next}` }];
}

/** Steps that failed and were, or are, tried again by their `onError`. */
const triesOf = (steps: RunSnapshot['view']['steps'], now: number, label: 'now' | 'tries' = 'now'): Why['lines'] =>
  steps.flatMap((step) => {
    const text = triesLine(step, now);
    return text === undefined ? [] : [{ label, text }];
  });

const open = (snapshot: RunSnapshot, now: number): Why => {
  const causes = limitingNow(snapshot, now);
  const { view } = snapshot;
  const tries = triesOf(
    view.steps.filter(({ endedAt }) => endedAt === undefined),
    now,
  );
  const limits = [...causes, ...tries].map(({ text }) => text);
  const asked = view.steps.flatMap(({ id, status, asks }) => (status === 'approval' && asks ? [`${id} ${asksLine(asks)}`] : []));
  return {
    run: view.run,
    state: view.state,
    headline: view.error
      ? `${view.run} has failed in ${view.error.step ?? 'itself'} (${view.error.type}: ${view.error.message}); ${stillOpen(view)}`
      : `${view.run} has not failed: it is ${view.state === 'approval' ? 'waiting for a person' : view.state}`,
    lines: [...(limits.length > 0 ? limits : ['nothing limits it']), ...asked].slice(0, 4).map((text) => ({ label: 'now', text })),
  };
};

/** What a run that has failed does before it ends. */
const stillOpen = ({ steps, undo }: RunSnapshot['view']): string => {
  if (undo) return `it is taken back by ${undo.run}`;
  const open = steps.filter(({ status }) => status === 'running' || status === 'approval').map(({ id }) => id);
  return open.length === 0 ? 'it is about to end' : `${open.join(', ')} ${open.length === 1 ? 'goes' : 'go'} on`;
};

/** Steps that did not do what the file holds, although the run did not fail by them. */
const leftOut = ({ steps }: RunSnapshot['view']): Why['lines'] =>
  steps.flatMap(({ id, status, skipped, error, loop }): Why['lines'] => {
    const [first] = loop?.failures ?? [];
    if (status === 'done' && first)
      return [{ label: 'now', text: `${turnsWords(id, loop!.failed)}, which is tolerated: ${id}[${first.index}]: ${first.error.message}` }];
    if (status === 'tolerated') return [{ label: 'now', text: `${id} failed, which is tolerated: ${error?.message ?? 'nobody said why'}` }];
    return status === 'skipped' ? [{ label: 'now', text: `${id} was skipped: ${skipWords(skipped)}` }] : [];
  });

const turnsWords = (loop: string, failed: number): string => `${number(failed)} ${failed === 1 ? 'turn' : 'turns'} of ${loop} failed`;

/** A run whose key another one held. */
const refused = (view: RunSnapshot['view'], { continued }: WhyFacts): Why => ({
  run: view.run,
  state: view.state,
  headline: `${view.run} was refused: ${view.error?.message ?? 'another run held its key'}`,
  lines: [remedyLine(view, view.error!, { continued })],
});

const ended = ({ view }: RunSnapshot, facts: WhyFacts, now: number): Why => {
  const troubles = facts.counts.filter(({ status, count }) => count > 0 && (troubled as readonly string[]).includes(status));
  return {
    run: view.run,
    state: view.state,
    headline:
      view.state === 'done'
        ? `${view.run} did not fail: it is done`
        : `${view.run} was cancelled${displacedBy(view.displaced)}; what it had done stays done`,
    lines: [
      ...troubles.map(({ step, status, count }) => ({
        label: 'now' as const,
        text: `${number(count)} items ${status} in ${step}: portolan items ${view.run} --step ${argument(step)} --status ${status}`,
      })),
      ...leftOut(view),
      ...triesOf(view.steps, now),
      ...undoLines(view, facts),
      ...(facts.continued ? [{ label: 'now' as const, text: continuedWords(facts.continued) }] : []),
    ].slice(0, 4),
  };
};

/** Explains a snapshot. Pure. */
export const explain = (snapshot: RunSnapshot, facts: WhyFacts, now: number = Date.now()): Why =>
  snapshot.view.state === 'failed'
    ? failed(snapshot, facts, now)
    : snapshot.view.state === 'refused'
      ? refused(snapshot.view, facts)
      : snapshot.view.state === 'done' || snapshot.view.state === 'cancelled'
        ? ended(snapshot, facts, now)
        : open(snapshot, now);

/** Explains a run with what its store holds; a store that cannot be read from here adds nothing. `shown` names a file as the person does. */
export const explainRun = async (
  place: StoredPlace,
  snapshot: RunSnapshot,
  store: RunStore,
  shown: (file: string) => string = (file) => file,
): Promise<Why> => {
  const step = snapshot.view.error?.step;
  const counts = await store.countItems().catch(() => []);
  const { file } = (await store.readJson<RunRecord>(recordFile).catch(() => undefined)) ?? {};
  const at = (snapshot.view.error?.details?.at ?? []).map((place) =>
    place.replace(/^(.*)(:\d+:\d+)$/, (_, path: string, line: string) => shown(path) + line),
  );
  const undone = await lastUndo(place, { run: snapshot.view.run, store: snapshot.store });
  const continued = await lastContinuation(place, { run: snapshot.view.run, store: snapshot.store });
  const facts: WhyFacts = {
    counts,
    ...(continued && { continued }),
    ...(undone && { undone }),
    events: await store.events().catch(() => []),
    at,
    ...(file === undefined ? {} : { file: shown(file) }),
  };
  if (step !== undefined) {
    const status = worst(facts, step)?.status;
    const [example] = status === undefined ? [] : await store.readItems({ step, status, limit: 1 }).catch(() => []);
    const plan = await store.readJson<Plan>('plan.json').catch(() => undefined);
    const tolerate = plan?.steps.find(({ id }) => id === step)?.tolerate;
    return explain(snapshot, { ...facts, ...(example && { example }), ...(tolerate && { tolerate }) });
  }
  return explain(snapshot, facts);
};
