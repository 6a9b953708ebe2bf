import { clauses } from '../text/clauses.ts';
import { stamp } from '../text/units.ts';
import type { PendingActivity } from './pending.ts';
import { hasEnd } from '../pipelines/ends.ts';
import type { RunSnapshot } from './view.ts';
import { argument } from '../text/shell.ts';

export type Limiting = {
  cause: 'limit' | 'retry' | 'worker' | 'temporal' | 'queued' | 'paused' | 'approval' | 'missing' | 'undo';
  text: string;
  /** The limit class that is closed, or the operation. */
  limit?: string;
};

const seconds = (ms: number): string => `${ms < 10_000 ? (Math.max(0, ms) / 1_000).toFixed(1) : Math.round(ms / 1_000)} s`;

const until = (activity: PendingActivity, now: number): number => Math.max(0, (activity.nextAt ? Date.parse(activity.nextAt) : now) - now);

/** Milliseconds that a run has waited, by cause. */
export type Waited = ReadonlyMap<string, number>;

type Failed = PendingActivity & { lastFailure: NonNullable<PendingActivity['lastFailure']> };

/** Waits for a limit class: the service closed it, and every worker that knows holds. */
const closedClasses = (failed: readonly Failed[], now: number, waited: Waited): Limiting[] =>
  [...Map.groupBy(failed, ({ lastFailure }) => lastFailure.limit ?? lastFailure.operation ?? 'the service')].map(([limit, members]) => {
    const { status, asked } = members.find(({ lastFailure }) => lastFailure.status !== undefined)?.lastFailure ?? {};
    const left = Math.max(...members.map((activity) => until(activity, now)));
    const inAll = (waited.get(limit) ?? 0) > 0 ? `, ${seconds(waited.get(limit)!)} in all` : '';
    const waiting = `${members.length} call${members.length === 1 ? '' : 's'} waiting, no attempt used${inAll}`;
    return {
      cause: 'limit',
      limit,
      text: `closed ${seconds(left)} by ${limit}${status === undefined ? '' : ` (${status}${asked === false ? ' without' : ','} Retry-After)`}, ${waiting}`,
    };
  });

/** Waits for something of the worker's host: room on a disk, a store, a service that is being restarted. */
const missing = (failed: readonly Failed[], now: number): Limiting[] =>
  [...Map.groupBy(failed, ({ lastFailure }) => lastFailure.resource ?? '')].map(([, [first, ...others]]) => ({
    cause: 'missing',
    text: `${first!.id} waits, no attempt used${others.length > 0 ? `, and ${others.length} more` : ''}: ${clauses([first!.lastFailure.message, ...(first!.nextAt === undefined ? [] : [`looked at again in ${seconds(until(first!, now))}`])])}`,
  }));

const retries = (failed: readonly Failed[], now: number): Limiting[] => {
  const [first] = failed;
  if (!first) return [];
  if (first.lastFailure.type === 'TimeoutFailure')
    return [{ cause: 'worker', text: `a worker was lost; ${first.id} is taken up again (attempt ${first.attempt})` }];
  const others = failed.length > 1 ? `; ${failed.length - 1} more` : '';
  return [
    {
      cause: 'retry',
      text: `${first.id} is tried again (attempt ${first.attempt}, in ${seconds(until(first, now))}): ${first.lastFailure.message}${others}`,
    },
  ];
};

/** Runs of pipelines, and the one that takes this run back, that wait for a person, or that somebody has paused. */
const childrenWaiting = ({ steps, paused, undo }: RunSnapshot['view']): Limiting[] =>
  [
    ...steps.flatMap(({ id, status, child }) => (status === 'running' && child ? [{ id, child }] : [])),
    ...(undo ? [{ id: 'what takes it back', child: undo }] : []),
  ].flatMap(({ id, child }): Limiting[] => {
    if (child.state === 'paused' && !paused)
      return [{ cause: 'paused', text: `${id} is run ${child.run}, which is paused: portolan resume ${child.run}` }];
    return child.state === 'approval'
      ? child.asks.map((step) => ({
          cause: 'approval' as const,
          text: `${id} is run ${child.run}, which waits for a person: portolan approve ${child.run} ${argument(step)} --note '…'`,
        }))
      : [];
  });

/** Which key a run waits for, and who holds it. */
const queuedWords = ({ key, since, holder }: NonNullable<RunSnapshot['view']['queued']>): string =>
  `${holder ? `run ${holder.run} holds ${key} since ${stamp(holder.since)} (${holder.who})` : `${key} is being handed over`}; queued since ${stamp(since)}`;

/** What limits a run at this moment, most important first; empty where nothing does. */
export const limitingNow = (
  { view, source, pending }: Pick<RunSnapshot, 'view' | 'source' | 'pending'>,
  now: number = Date.now(),
  waited: Waited = new Map(),
): Limiting[] => {
  const { run, paused, queued } = view;
  // `NotYet` is how a poll waits between two looks: that is its work, not a limit.
  const failed = pending.filter(
    (activity): activity is Failed => activity.waiting && activity.lastFailure !== undefined && activity.lastFailure.type !== 'NotYet',
  );
  const limited = failed.filter(({ lastFailure }) => lastFailure.type === 'RateLimited');
  const short = failed.filter(({ lastFailure }) => lastFailure.type === 'Unavailable');
  if (source === 'unreachable')
    return [{ cause: 'temporal', text: 'Temporal does not answer; the run goes on there, and is looked at again until it does' }];
  if (source === 'store' && view.state === 'running')
    return [{ cause: 'temporal', text: 'Temporal does not answer: that is what the run store says; whether the run goes on is not known' }];
  const unserved = pending.length > 0 && pending.every((activity) => activity.waiting && !activity.lastFailure);
  return [
    ...(view.state === 'paused'
      ? [
          {
            cause: 'paused' as const,
            text: `paused by ${paused?.who ?? 'unknown'}${paused?.note ? ` (${paused.note})` : ''}: portolan resume ${run}`,
          },
        ]
      : []),
    ...(queued ? [{ cause: 'queued' as const, text: queuedWords(queued) }] : []),
    ...view.steps
      .filter(({ status }) => status === 'approval')
      .map(({ id, asks }) => ({
        cause: 'approval' as const,
        text: `${id} waits for ${asks?.who ?? 'a person'}: portolan approve ${run} ${argument(id)} --note '…'`,
      })),
    ...childrenWaiting(view),
    ...(view.undo && !hasEnd(view.undo.state)
      ? [{ cause: 'undo' as const, text: `the run has failed, and is taken back by ${view.undo.run}` }]
      : []),
    ...closedClasses(limited, now, waited),
    ...missing(short, now),
    ...retries(
      failed.filter((activity) => !limited.includes(activity) && !short.includes(activity)),
      now,
    ),
    ...(source === 'server'
      ? [{ cause: 'worker' as const, text: 'no worker answers: start one with portolan worker, or portolan dev' }]
      : unserved
        ? [{ cause: 'worker' as const, text: 'every worker slot is taken' }]
        : []),
  ];
};
