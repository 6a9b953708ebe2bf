import { operations } from '../../contracts/index.ts';
import { partOperation } from '../../contracts/maps/uploads.ts';
import type { EffectClass } from '../../contracts/endpoint.ts';
import { decide } from '../../runs/control.ts';
import { findRun } from '../../runs/find.ts';
import { watchRun } from '../../runs/watch.ts';
import type { JournalRow, RequestRow } from '../support/control.ts';
import { nameOf, settled, type Lane, type Row } from './support-matrix-cells.ts';
import { expectation, type Expectation, type MatrixFault } from './support-matrix-rules.ts';
import { startText, type StartedRun } from './support-run.ts';

/** One cell as it went. */
export type CellOutcome = {
  target: string;
  fault: string;
  effect: EffectClass;
  /** In what it differs from its declaration; empty where it does not. */
  wrong: string[];
  fired: number;
  repeated: number;
  early: number;
  requests: number;
  /** Milliseconds between a refusal that named a time and the next request; absent elsewhere. */
  waitedMs?: number;
  seconds: number;
};

/** A part is repeatable by value: the same bytes under the same number. */
export const effectOf = ({ target, effect }: Pick<Row, 'target' | 'effect'>): EffectClass =>
  effect ?? (target === partOperation ? 'idempotent' : operations[target].effect);

/** Starting an upload and sending its parts change nothing that counts until the upload is completed. */
const writes = (target: Row['target']): boolean => target !== partOperation && operations[target].effect !== 'safe';

/** One cell; where it could not be carried out it is wrong, and the others go on. */
export async function runCell(lane: Lane, row: Row, fault: MatrixFault, made: number): Promise<CellOutcome> {
  const begun = performance.now();
  try {
    return await tryCell(lane, row, fault, made);
  } catch (error) {
    await lane.stack.control.clear().catch(() => undefined);
    const wrong = [`could not be carried out: ${error instanceof Error ? error.message : String(error)}`];
    const none = { fired: 0, repeated: 0, early: 0, requests: 0, seconds: (performance.now() - begun) / 1_000 };
    return { target: nameOf(row), fault: fault.name, effect: effectOf(row), wrong, ...none };
  }
}

/** Orders the fault, lets a pipeline call the operation once, and compares what came of it with what is declared. */
async function tryCell(lane: Lane, row: Row, fault: MatrixFault, made: number): Promise<CellOutcome> {
  const { control } = lane.stack;
  const { target } = row;
  const begun = performance.now();
  const cell = await row.cell(lane, made);
  const [journalBefore, requestsBefore] = await Promise.all([control.journal(cell.project), control.requests()]);
  const { id } = await control.fault(target, 1, fault.do);
  const run = await startText(lane.stack, cell.text, {}, { steps: lane.steps });
  if (cell.text.includes('gate.approve')) await approve(lane, run);
  const view = await run.ended();
  const [journal, log, ordered, events] = await Promise.all([
    control.journal(cell.project),
    control.requests(),
    control.faults(),
    run.store.events(),
  ]);
  await settled(lane, cell);
  const { fired = 0, unfired = true } = ordered.find((each) => each.id === id) ?? {};
  await control.clear().catch(() => undefined);

  const all = log.rows.slice(requestsBefore.rows.length);
  const requests = all.filter((each) => each.operation === target);
  const rows = fresh(journal.rows, journalBefore.rows).filter((each) => each.operation === target);
  const [first, second] = requests;
  const gapMs = first && second ? second.monotonic - (first.monotonic + first.ms) : 0;
  const expected: Expectation = {
    ...expectation(effectOf(row), fault, writes(target)),
    ...row.further?.find((each) => each.fault === fault)?.shows,
    ...row.differs?.[fault.name],
  } as Expectation;
  const seen: Expectation = {
    state: view.state as Expectation['state'],
    ...(view.error ? { error: `${view.error.type}${view.error.details?.status ? ` ${view.error.details.status}` : ''}` } : {}),
    requests: requests.length,
    effects: rows.filter(({ changed }) => changed > 0).length,
    harmless: rows.filter(({ changed }) => changed === 0).length,
    waits: events.filter(({ kind }) => kind === 'wait').length,
    retries: events.filter(({ kind }) => kind === 'retry').length,
    lookedUp: events.some(({ kind, cause }) => kind === 'reconcile' && cause.startsWith('looked up')),
    gapMs: gapMs >= expected.gapMs ? expected.gapMs : gapMs,
  };
  const differing = (Object.keys({ ...expected, ...seen }) as (keyof Expectation)[]).filter((name) => expected[name] !== seen[name]);
  return {
    target: nameOf(row),
    fault: fault.name,
    effect: effectOf(row),
    wrong: [
      ...differing.map((name) => `${name} ${String(seen[name])} instead of ${String(expected[name])}`),
      ...(differing.includes('state') && view.error ? [`${view.error.type}: ${view.error.message.slice(0, 160)}`] : []),
      ...(fired === 1 && !unfired ? [] : [`the fault fired ${fired} times`]),
    ],
    fired,
    repeated: row.namesakes ? Math.max(0, seen.effects - expected.effects) : fresh(journal.repeated, journalBefore.repeated).length,
    early: all.filter(isEarly).length,
    requests: requests.length,
    ...(fault.says === 'wait' ? { waitedMs: gapMs } : {}),
    seconds: (performance.now() - begun) / 1_000,
  };
}

const isEarly = (row: RequestRow): boolean => row.early_same_call === 1 || row.early_same_process === 1;

/** Rows are numbered per store, so all their fields together distinguish them. */
const fresh = (now: readonly JournalRow[], before: readonly JournalRow[]): JournalRow[] => {
  const known = new Set(before.map((row) => JSON.stringify(row)));
  return now.filter((row) => !known.has(JSON.stringify(row)));
};

async function approve({ stack }: Lane, run: StartedRun): Promise<void> {
  const place = { client: stack.client, storeRoot: run.root };
  const location = await findRun(place, run.id);
  for await (const { view } of watchRun(place, location, { minMs: 50 })) if (view.state !== 'running') break;
  await decide(place, location, { step: 'ask', approve: true, who: 'prove', note: 'a cell of the matrix' });
}
