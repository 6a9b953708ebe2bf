import pLimit from 'p-limit';
import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import { innerIntents } from '../../store/intents.ts';
import type { ListedRow, TakenRows } from '../../store/row-lists.ts';
import { carry } from '../effects/carry-call.ts';
import type { StepContext } from '../frame/context.ts';
import type { Ended } from '../own/ledger-rows.ts';
import { recordRows } from './record-rows.ts';
import type { RowCode } from './row-code.ts';
import { createRowEnds, type KnownRows, type TriedRow } from './row-ends.ts';
import { turn } from './turn.ts';

/** Shortest time between two reports of how far a chunk is. */
const progressMs = 250;

export type Chunk = {
  rows: readonly ListedRow[];
  /** Place of its first row in the table, and rows of the whole table. */
  first: number;
  total: number;
  /** What an earlier run has done of them. */
  taken: TakenRows<Ended>;
};

/** How every row of a chunk ended: what an attempt that was lost had ended already is not done again. */
export async function workThrough(code: RowCode, chunk: Chunk, context: StepContext): Promise<Ended[]> {
  const { rows, first, total } = chunk;
  const known = await knownRows(chunk, context);
  const { ended, tried } = known;
  let shownAt = 0;
  const show = (): void => {
    shownAt = performance.now();
    context.progress({ done: ended.size, total: rows.length, unit: 'rows' });
  };
  const ends = createRowEnds(known, total, context, () => {
    if (performance.now() >= shownAt + progressMs) show();
  });
  const work = async (at: number): Promise<void> => {
    if (ends.isOver()) return;
    const since = tried.get(at)?.since ?? Date.now();
    const mayPass = ({ deadlineMs }: { deadlineMs: number }): boolean => Date.now() - since < deadlineMs;
    try {
      // After a kill it must be known what was under way.
      await context.intents().beginRepeatable(String(at), { operation: rowsLoop.name });
      const turned = await turn(code, { index: first + at, row: rows[at]!.row, mayPass }, context);
      if ('failure' in turned) ends.fail(at, turned.failure);
      else ends.done(at, turned.outputs);
    } catch (error) {
      if (!context.signal.aborted) ends.putOff(at, error instanceof Error ? error : new Error(String(error)), since);
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
    recordRows(rows, ended, context);
  }
  context.signal.throwIfAborted();
  ends.throwIfOpen();
  return rows.map((_, at) => ended.get(at)!);
}

/** What earlier attempts, and an earlier run, have ended and tried of the chunk. */
async function knownRows({ first, taken }: Chunk, context: StepContext): Promise<KnownRows> {
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
  return { ended, tried };
}
