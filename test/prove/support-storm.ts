import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack, WorkerOptions } from '../support/stack.ts';
import { flights, flightsFile, outcomeOf, type Outcome } from './support-flights.ts';
import { startText, type StartedRun } from './support-run.ts';

export type Victim = 'service' | 'worker' | 'temporal';

/** One run under kills. */
export type Storm = {
  killed: number;
  /** Kills while the service had a call under way, or had answered one less than a second before. */
  busy: number;
  /** What the run left, where it is not what an undisturbed run leaves. */
  differs: string | undefined;
  repeated: number;
  harmless: number;
  /** Writes that the run's ledger holds as answered, and those of them that the service's journal does not know. */
  acknowledged: number;
  lost: number;
  indexJobs: number;
  seconds: number;
};

/** Longest time from the first call after a restart to the next kill. */
const longestMs = 1_500;

/** Moments depend on the seed alone. */
const drawn = (seed: string, at: number): number =>
  (createHash('sha256').update(`${seed}/${at}`).digest().readUInt32BE(0) / 2 ** 32) * longestMs;

/** Counted in the source: 126,439 of the 200,000 flights go 400 miles or farther. */
const expected: Partial<Outcome> = { datasets: 1, indices: 1, rows: 200_000, added: 200_000, tagged: 126_439, reallyTagged: 126_439 };

/**
 * One ingest of 200,000 flights, its answers to both creations lost, and processes killed on the way: the next kill comes
 * a drawn time after the service has seen the first call since the last one.
 */
export async function storm(
  stack: Stack,
  { victim, seed, most, ...worker }: { victim: Victim; seed: string; most: number } & WorkerOptions,
): Promise<Storm> {
  const { control } = stack;
  const started = Date.now();
  const slug = seed;
  // A service that is killed forgets what was ordered: there the kills alone disturb.
  if (victim !== 'service')
    for (const operation of ['maps.projects.create', 'maps.indices.create'])
      // Where nothing is looked up, the run ends when it has made the first thing twice.
      await (worker.without ? control.faultIfCalled : control.fault)(operation, 1, { lose: 'answer' });
  const run = await startText(stack, flights, { source: flightsFile('200k'), dataset: slug });
  let over = false;
  const ended = run.ended(600_000).finally(() => (over = true));
  ended.catch(() => undefined);
  let killed = 0;
  let busy = 0;
  for (let since = started; killed < most; killed++) {
    const called = await firstCall(stack, since, () => over);
    if (!called) break;
    await sleep(drawn(seed, killed));
    // Nothing on its way, because a timeout of the last kill is waited for: the moment is the next call's.
    if (!isBusy(stack)) await firstCall(stack, Date.now(), () => over);
    if (over) break;
    busy += Number(isBusy(stack));
    since = Date.now();
    await strike(stack, victim, worker);
  }
  const view = await ended;
  const outcome = view.state === 'done' ? await outcomeOf(stack, run, view, slug) : undefined;
  const [journal, acknowledged] = await Promise.all([control.journal(), requestIds(run)]);
  const mine = journal.rows.filter((row) => row.at >= started);
  const known = new Set(journal.rows.map((row) => row.request_id));
  return {
    killed,
    busy,
    differs: outcome ? difference(outcome) : `the run ${view.state}: ${view.error?.message}`,
    repeated: journal.repeated.filter((row) => row.at >= started).length,
    harmless: mine.filter(({ changed }) => changed === 0).length,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !known.has(id)).length,
    indexJobs: mine.filter((row) => row.operation === 'maps.indices.create' && row.changed > 0).length,
    seconds: (Date.now() - started) / 1_000,
  };
}

const difference = (outcome: Outcome): string | undefined => {
  const wrong = Object.entries(expected).filter(([name, value]) => outcome[name as keyof Outcome] !== value);
  return wrong.length === 0
    ? undefined
    : wrong.map(([name, value]) => `${name} ${outcome[name as keyof Outcome]} instead of ${value}`).join(', ');
};

async function strike(stack: Stack, victim: Victim, worker: WorkerOptions): Promise<void> {
  if (victim === 'service') {
    await stack.service.kill();
    await stack.service.start();
  } else if (victim === 'worker') {
    await stack.worker.kill();
    await stack.worker.start(0, worker);
  } else {
    await stack.temporal.kill();
    await stack.temporal.start();
  }
}

/** True once the service has seen a call after this time; false where the run is over before. */
async function firstCall(stack: Stack, since: number, over: () => boolean): Promise<boolean> {
  while (lastCall(stack) <= since) {
    if (over()) return false;
    await sleep(20);
  }
  return true;
}

const isBusy = (stack: Stack): boolean => Date.now() - lastCall(stack) < 1_000;

/** When the service answered last: read from the file of its log, so that asking is no load. */
function lastCall({ state }: Stack): number {
  const log = new DatabaseSync(join(state, 'service', 'requests.sqlite'), { readOnly: true });
  try {
    const row = log.prepare('SELECT at + ms AS answered FROM requests ORDER BY seq DESC LIMIT 1').get();
    return (row?.['answered'] as number | undefined) ?? 0;
  } finally {
    log.close();
  }
}

/** Request ids of the ledger: each is of a write whose answer the worker has read. */
async function requestIds(run: StartedRun): Promise<string[]> {
  const items = await run.store.readItems({ status: 'added' });
  return [...new Set([...items, ...(await run.store.readItems({ status: 'tagged' }))].flatMap(({ request_id }) => request_id ?? []))];
}
