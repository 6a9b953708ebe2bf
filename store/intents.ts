import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { makeFolderIn } from '../files/make-folder.ts';
import type { RunStore } from './run-store.ts';

const dataSync = promisify(fdatasync);

/** What is written down before a call is sent: beside its operation whatever its look-up needs. */
export type Intent = { operation: string; before?: unknown };

/**
 * What is known of one call.
 * - `new`: nothing was sent, or what was sent had no effect; `intents` those that were taken back.
 * - `open`: it was begun, and nobody knows how it ended.
 * - `done`: it ended; `result` is the essence of its answer, `intents` those that were open until then.
 */
export type CallState =
  | { is: 'new'; intents: readonly Intent[] }
  | { is: 'open'; intents: readonly Intent[] }
  | { is: 'done'; result: unknown; intents: readonly Intent[] };

/**
 * Intents to send, of all attempts of one activity. Whether an effect must be looked up before a call is sent is read here, and
 * nowhere else: an attempt may have ended without having sent anything.
 */
export type Intents = {
  state(call: string): CallState;
  /** Calls that were begun and did not end, and results of those that did. */
  calls(): ReadonlyMap<string, CallState>;
  /** On the disk when it resolves: then the call may be sent. */
  begin(call: string, intent: Intent): Promise<void>;
  /** The same where a repeat is no second effect: a kill of this process does not lose it, a loss of the machine may. */
  beginRepeatable(call: string, intent: Intent): Promise<void>;
  /** Nothing has happened: it was refused, must wait, was never sent, or was looked for in vain. Also for earlier attempts. */
  withdraw(call: string): void;
  /** Written within the same turn of the event loop. */
  done(call: string, result: unknown): void;
  /** Fails where a line could not be written. */
  close(): Promise<void>;
};

type Line =
  | [call: string, is: 'begun', intent: Intent]
  | [call: string, is: 'withdrawn', writers: readonly string[]]
  | [call: string, is: 'done', result: unknown];

/** What each attempt wrote of one call. */
type Written = Map<string, { intent?: Intent; withdrawn: boolean }>;

/**
 * Opens the intents of an activity. Each attempt writes a file of its own (`writer`), so that two processes never write into one,
 * and reads those of all; a line that a kill has cut was not on the disk when the call could have been sent. The files bear the order
 * in which they were opened: of what is written again and again the newest counts, and attempts are numbered anew where a run continues
 * as new.
 */
export function openIntents(store: RunStore, place: readonly string[], writer: string): Intents {
  const folder = store.path('intents', ...place);
  const open = new Map<string, Written>();
  const results = new Map<string, unknown>();
  const take = (from: string, [call, is, what]: Line): void => {
    const written: Written = open.get(call) ?? new Map();
    open.set(call, written);
    if (is === 'begun') written.set(from, { intent: what, withdrawn: false });
    else if (is === 'done') results.set(call, what);
    else for (const each of what) written.set(each, { ...written.get(each), withdrawn: true });
  };
  const journals = journalsIn(folder);
  for (const each of journals) for (const line of linesOf(folder, each)) take(each.writer, line);

  const journal = appender(store.path(), folder, nameOf({ opened: 1 + (journals.at(-1)?.opened ?? 0), writer }));
  const write = (line: Line): void => {
    take(writer, line);
    journal.add(JSON.stringify(line));
  };
  const state = (call: string): CallState => {
    const written = [...(open.get(call)?.values() ?? [])];
    const of = (withdrawn: boolean): Intent[] =>
      written.flatMap((each) => (each.withdrawn === withdrawn && each.intent ? [each.intent] : []));
    const intents = of(false);
    if (results.has(call)) return { is: 'done', result: results.get(call), intents };
    return intents.length === 0 ? { is: 'new', intents: of(true) } : { is: 'open', intents };
  };
  return {
    state,
    calls: () => new Map([...new Set([...open.keys(), ...results.keys()])].map((call) => [call, state(call)])),
    async begin(call, intent) {
      write([call, 'begun', intent]);
      await journal.durable();
    },
    beginRepeatable(call, intent) {
      write([call, 'begun', intent]);
      return journal.written();
    },
    withdraw: (call) => write([call, 'withdrawn', [...(open.get(call)?.keys() ?? [])]]),
    done: (call, result) => write([call, 'done', result]),
    close: () => journal.close(),
  };
}

/** The intents of a step of a row, in the journal of its chunk: their names have its path before them. Whoever opened the journal closes it. */
export function innerIntents(of: Intents, before: string): Intents {
  const named = (call: string): string => `${before}${call}`;
  return {
    state: (call) => of.state(named(call)),
    calls: () => new Map([...of.calls()].flatMap(([call, state]) => (call.startsWith(before) ? [[call.slice(before.length), state]] : []))),
    begin: (call, intent) => of.begin(named(call), intent),
    beginRepeatable: (call, intent) => of.beginRepeatable(named(call), intent),
    withdraw: (call) => of.withdraw(named(call)),
    done: (call, result) => of.done(named(call), result),
    close: async () => undefined,
  };
}

/** The file of one attempt: `opened` is 1 for the first of its activity. */
type Journal = { opened: number; writer: string };

const nameOf = ({ opened, writer }: Journal): string => `${opened}~${writer}.jsonl`;

/** The journals of an activity, in the order in which they were opened. */
function journalsIn(folder: string): Journal[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  // Beside the journals of a place stand the folders of places below it.
  return names
    .flatMap((name) => {
      const [, opened, writer] = /^(\d+)~(.*)\.jsonl$/.exec(name) ?? [];
      return writer === undefined ? [] : [{ opened: Number(opened), writer }];
    })
    .sort((a, b) => a.opened - b.opened || a.writer.localeCompare(b.writer, 'en', { numeric: true }));
}

const linesOf = (folder: string, journal: Journal): Line[] =>
  readFileSync(`${folder}/${nameOf(journal)}`, 'utf8')
    .split('\n')
    .flatMap((line) => parse(line) ?? []);

function parse(line: string): [Line] | undefined {
  try {
    return [JSON.parse(line) as Line];
  } catch {
    // Cut by a kill, or by a full disk.
    return undefined;
  }
}

/** Lines that go out together, and what became of them. */
type Batch = { lines: string; over: PromiseWithResolvers<void>; failure?: { error: unknown } };

const newBatch = (): Batch => ({ lines: '', over: Promise.withResolvers() });

function cut(handle: number, size: number): void {
  try {
    ftruncateSync(handle, size);
  } catch {
    // What stays counts as begun: then the effect is looked up, or a person is asked.
  }
}

/**
 * Lines of one file, opened with the first; what one turn of the event loop adds goes out together. Of a batch that cannot be
 * written nothing stays: its calls are not sent, and a line of one of them would say that they may have been.
 */
function appender(run: string, folder: string, name: string) {
  let handle: number | undefined;
  let batch = newBatch();
  let scheduled: NodeJS.Immediate | undefined;
  let failure: { error: unknown } | undefined;
  let syncing: Promise<void> | undefined;
  const write = (bytes: Buffer): void => {
    if (handle === undefined) {
      // Without the folder of its run the store is gone: an empty one that is begun in its place lacks what earlier attempts wrote.
      makeFolderIn(run, folder);
      handle = openSync(`${folder}/${name}`, 'a');
    }
    const { size } = fstatSync(handle);
    try {
      // A full disk takes a part, and says so when the rest is written.
      for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
    } catch (error) {
      cut(handle, size);
      throw error;
    }
  };
  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (batch.lines === '') return;
    const going = batch;
    batch = newBatch();
    // Whoever waits is let go whatever comes of it: a failure is reported at the end, and by what must be durable.
    queueMicrotask(going.over.resolve);
    try {
      write(Buffer.from(going.lines));
    } catch (error) {
      going.failure = { error };
      failure ??= going.failure;
    }
  };
  return {
    add(line: string): void {
      // A line begins on its own, whatever stands before it.
      batch.lines += `\n${line}\n`;
      scheduled ??= setImmediate(flush);
    },
    written: async (): Promise<void> => (batch.lines === '' ? undefined : batch.over.promise),
    /** Fails where what was added last cannot be written. One sync serves all that was added before it began. */
    async durable(): Promise<void> {
      const added = batch;
      await syncing;
      flush();
      if (added.failure) throw added.failure.error;
      await (syncing ??= dataSync(handle!).finally(() => (syncing = undefined)));
    },
    async close(): Promise<void> {
      // Whoever asked for that sync has its failure.
      await syncing?.catch(() => undefined);
      flush();
      if (handle !== undefined) closeSync(handle);
      if (failure) throw failure.error;
    },
  };
}
