/** What a run does whose key is held by another: it is refused, waits for its turn, or has the other runs of the key cancelled. */
export const whenHeld = ['reject', 'queue', 'cancelOlder'] as const;
export type WhenHeld = (typeof whenHeld)[number];

/**
 * What only one run may hold at a time, e.g. `local/movies`, and what becomes of others. `beneath`: the run above that holds this key;
 * beneath it one run at a time holds the key in turn.
 */
export type Concurrency = { key: string; when?: WhenHeld; beneath?: string };

/** The key as its lock, and whoever waits for it, knows it. */
export const lockedKey = ({ key, beneath }: Concurrency): string => (beneath === undefined ? key : `${key} beneath ${beneath}`);

/** Characters that a key has at most: the id of its lock holds it. */
export const longestKey = 200;

/** What is wrong with the length of a key with its parameters put in, and the remedy; `name`: what it is called. */
export function keyFault(name: string, key: string): { message: string; remedy: string } | undefined {
  const rule = `a key has 1 to ${longestKey} characters`;
  if (key === '') return { message: `${name} is empty here: ${rule}`, remedy: 'give its parameter a value, or write a text beside it' };
  if (key.length <= longestKey) return undefined;
  return {
    message: `${name} has ${key.length} characters here ('${key.slice(0, 40)}…'): ${rule}`,
    remedy: 'give its parameters shorter values, or refer to others',
  };
}

/** The workflow that is the lock of one key. Whoever starts it holds the key: no task of a worker is needed for that. */
export const lockWorkflow = 'lockV1';
export const askSignal = 'ask';
export const releaseSignal = 'release';
/** With it a lock reports to a run that has asked. */
export const answerSignal = 'lock';
/** Looks once whether a run is open; the other one ends when it is not any more. */
export const lookActivity = 'portolan:look';
export const watchActivity = 'portolan:watch';

/**
 * A run, as locks know it: by the first execution of its workflow, which no other run has. `undoes`: it takes another one back, and is
 * cancelled for no newer one.
 */
export type LockRun = { run: string; workflowId: string; firstRunId: string; who: string; undoes?: true };
export type Holder = LockRun & { since: string };
export type Asker = LockRun & { when: WhenHeld };

/** What a run asks for. */
export type LockRequest = { key: string; asker: Asker; at: string };

/** What a lock is started with; `waiting` is set by continue-as-new only. */
export type LockInput = { key: string; holder?: Holder; waiting?: Asker[] };
export type LockMemo = { key: string; holder: Holder | null };
/** `displaced`: a run that holds the key, or waits for it, is about to be cancelled for a newer one. */
export type LockAnswer = { is: 'granted' } | { is: 'refused'; holder: Holder } | { is: 'displaced'; by: Displacer };
export type Displacer = { key: string; run: string; who: string };

/** The workflow id of a lock: each run store, by its task queue, has its own. */
export const lockIdOf = (taskQueue: string, key: string): string => `portolan/lock/${taskQueue}/${key}`;

/**
 * How the lock of a key is started, by whomever. What a worker has begun for it and not ended, because it was killed, is given to another
 * one after these seconds: with a look at the holder, and its next look, that is less than the 10 s after which a key is free at the latest.
 * Its tasks, and its looks, go before those of runs: where hundreds begin at once, a key that is free would wait behind them all.
 */
export const lockSettings = (taskQueue: string, key: string) =>
  ({ workflowId: lockIdOf(taskQueue, key), taskQueue, workflowTaskTimeout: '3s', priority: { priorityKey: 1 } }) as const;

/** Somebody stands behind a command, and is refused at once; nobody would start again what a schedule, or a run, has started. */
export const whenHeldOf = ({ when }: Concurrency, origin: object | undefined): WhenHeld =>
  when ?? (origin && 'command' in origin ? 'reject' : 'queue');

const utc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

/** `local/movies is held by run R, started by anna@host, since …`; `shown` writes the time as its reader has it. */
export const heldBy = (key: string, { run, who, since }: Omit<Holder, 'workflowId' | 'firstRunId'>, shown = utc): string =>
  `${key} is held by run ${run}, started by ${who}, since ${shown(since)}`;

/** ` for run R, started by anna@host, which is to hold local/movies`: why a run was cancelled; nothing where a person did so. */
export const displacedBy = (by: Displacer | undefined): string =>
  by ? ` for run ${by.run}, started by ${by.who}, which is to hold ${by.key}` : '';
