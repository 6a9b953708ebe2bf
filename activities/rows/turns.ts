import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { isWait } from '../../client/wait.ts';
import { Unavailable } from '../../errors/classes.ts';
import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import { innerIntents, type Intents } from '../../store/intents.ts';
import type { ListedRow, RowCall, TakenRows } from '../../store/row-lists.ts';
import { number } from '../../text/units.ts';
import type { StepContext } from '../frame/context.ts';
import { GivenAway } from '../frame/fence.ts';
import { triedItem, triedRows, unendedRows, type Ended, type TriedItem } from '../own/ledger-rows.ts';
import type { RowCode } from './row-code.ts';
import { turn, type RowFailure } from './turn.ts';

/** Shortest time between two reports of how far a chunk is. */
const progressMs = 250;

/** So many rows in a row fail by what may pass: the service is down, and the chunk comes back later instead of asking for each row. */
const mostInARow = 10;

/** Nobody knows what was done: no file tolerates it. */
const unknown = new Set(['Undecided', 'Inconclusive']);

/** When a row was first begun, beside its attempts. */
type TriedRow = TriedItem & { since: number };

export type Chunk = {
  rows: readonly ListedRow[];
  /** Place of its first row in the table, and rows of the whole table. */
  first: number;
  total: number;
  /** What an earlier run has done of them. */
  taken: TakenRows<Ended>;
};

/** How every row of a chunk ended: what an attempt that was lost had ended already is not done again. */
export async function workThrough(code: RowCode, { rows, first, total, taken }: Chunk, context: StepContext): Promise<Ended[]> {
  const intents = context.intents();
  const ended = new Map<number, Ended>();
  const tried = new Map<number, TriedRow>();
  for (const [call, known] of intents.calls()) {
    const [, at, what] = /^(\d+)( tried)?$/.exec(call) ?? [];
    if (at === undefined || known.is !== 'done') continue;
    if (what) tried.set(Number(at), known.result as TriedRow);
    else ended.set(Number(at), known.result as Ended);
  }
  for (const [at, { fate, calls = [] }] of Object.entries(taken)) {
    if (fate && !ended.has(Number(at))) ended.set(Number(at), fate);
    await carry(calls, innerIntents(intents, `${context.step}[${first + Number(at)}].`));
  }
  const tolerated = mostOf(context, total);
  let failed = [...ended.values()].filter(({ status }) => status !== 'done').length;
  let tooMany: Error | undefined;
  let again: Error | undefined;
  let inARow = 0;
  let shownAt = 0;
  const show = (): void => {
    shownAt = performance.now();
    context.progress({ done: ended.size, total: rows.length, unit: 'rows' });
  };
  const end = (at: number, fate: Omit<Ended, 'attempts'>): void => {
    const whole = { ...fate, attempts: (tried.get(at)?.attempts ?? 0) + 1 };
    intents.done(String(at), whole);
    ended.set(at, whole);
    inARow = 0;
    if (performance.now() >= shownAt + progressMs) show();
  };
  const fail = (at: number, failure: RowFailure): void => {
    const isUnknown = unknown.has(failure.type);
    end(at, { status: isUnknown ? 'unknown' : 'failed', reason: `${failure.step}: ${failure.message}` });
    failed += 1;
    if (isUnknown || failed > tolerated) tooMany ??= tooManyFailed(failure, failed, total);
  };
  /** The row is begun again by the next attempt. */
  const putOff = (at: number, error: Error, since: number): void => {
    intents.withdraw(String(at));
    if (isWait(error) || error instanceof Unavailable || error instanceof GivenAway) {
      // The chunk comes back for the first place that is kept for one of its rows.
      if (!again || !isWait(again) || (isWait(error) && error.waitMs < again.waitMs)) again = error;
      return;
    }
    const attempts = (tried.get(at)?.attempts ?? 0) + 1;
    tried.set(at, { attempts, since, reason: error.message });
    intents.done(triedItem(at), { attempts, since, reason: error.message } satisfies TriedRow);
    inARow += 1;
    again ??= error;
  };
  const isOver = (): boolean =>
    tooMany !== undefined ||
    context.signal.aborted ||
    inARow >= mostInARow ||
    (again !== undefined && (isWait(again) || again instanceof Unavailable || again instanceof GivenAway));
  const work = async (at: number): Promise<void> => {
    if (isOver()) return;
    const since = tried.get(at)?.since ?? Date.now();
    const mayPass = ({ deadlineMs }: { deadlineMs: number }): boolean => Date.now() - since < deadlineMs;
    try {
      // After a kill it must be known what was under way.
      await intents.beginRepeatable(String(at), { operation: rowsLoop.name });
      const turned = await turn(code, { index: first + at, row: rows[at]!.row, mayPass }, context);
      if ('failure' in turned) fail(at, turned.failure);
      else end(at, { status: 'done', ...(Object.keys(turned.outputs).length > 0 ? { result: turned.outputs } : {}) });
    } catch (error) {
      if (!context.signal.aborted) putOff(at, error instanceof Error ? error : new Error(String(error)), since);
    }
  };
  const beat = setInterval(show, 1_000);
  try {
    await pLimit(code.atOnce).map(
      rows.flatMap((_, at) => (ended.has(at) ? [] : [at])),
      work,
    );
  } finally {
    clearInterval(beat);
    record(rows, ended, context);
  }
  context.signal.throwIfAborted();
  if (tooMany) throw tooMany;
  if (again) throw again;
  return rows.map((_, at) => ended.get(at)!);
}

/** Puts what an earlier run knows of calls into the journal of this one, before the first of them. */
async function carry(calls: readonly RowCall[], intents: Intents): Promise<void> {
  for (const each of calls) {
    const { is, intents: before } = intents.state(each.call);
    if (is !== 'new' || before.length > 0) continue;
    if ('result' in each) intents.done(each.call, each.result);
    else for (const intent of each.open) await intents.begin(each.call, intent);
  }
}

/** Rows of this chunk that may fail without failing the loop: as many as the file tolerates of all. */
function mostOf({ tolerate }: StepContext, total: number): number {
  const { share, count } = tolerate['failed'] ?? {};
  return share === undefined ? (count ?? 0) : share * total;
}

/** The failure of the row, as that of the loop: of the same class, and not tried again. */
const tooManyFailed = ({ type, step, message, details }: RowFailure, failed: number, total: number): Error =>
  ApplicationFailure.create({
    type,
    message: `${number(failed)} of ${number(total)} rows failed, the last one at ${step}: ${message}`,
    nonRetryable: true,
    details: details ? [details] : [],
  });

/** What is known of the rows, for the ledger: those that ended alike together. */
function record(rows: readonly ListedRow[], ended: ReadonlyMap<number, Ended>, context: StepContext): void {
  const intents = context.intents();
  const alike = Map.groupBy(
    rows.flatMap(({ key }, at) => (ended.has(at) ? [{ key, at }] : [])),
    ({ at }) => {
      const { result: _result, ...fate } = ended.get(at)!;
      return JSON.stringify(fate);
    },
  );
  context.fates([...alike].map(([fate, of]) => ({ items: of.map(({ key }) => key), fate: JSON.parse(fate) as Omit<Ended, 'result'> })));
  const open = rows.filter((_, at) => !ended.has(at) && intents.state(String(at)).is === 'open');
  if (open.length > 0) context.fates([unendedRows(open)]);
  context.fates(triedRows(rows, intents), { ifOver: true });
}
