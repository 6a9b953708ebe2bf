import { existsSync } from 'node:fs';
import { byRows, chainsOf } from '../pipelines/undo-ids.ts';
import type { Json } from '../text/json.ts';
import { recordsOf, standing, type AskedStep, type Lost } from './former-runs.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { openIntents, type CallState } from './intents.ts';
import { currentRowList, readRowList, readRows, readTakenRows, type RowCall, type RowList } from './row-lists.ts';
import type { RunStore } from './run-store.ts';

/** A row of an earlier run: how it ended, absent where it did not, and what is known of the calls of its steps, `STEP CALL`. */
export type FormerRow<Fate> = { key: string; row: Json; fate?: Fate; calls: RowCall[] };

/** The rows of an earlier run in their order, and what was done for each of them. */
export type FormerRows<Fate> = { run: string; body: Json; rows: AsyncGenerator<FormerRow<Fate>, void, undefined> };

/**
 * What earlier runs know of the rows of a loop, those that continue each other, and beside them those that took back what another run shares.
 * Of each: the newest that came to it first, which had taken over what was known before of the rows that it has; those behind it know the
 * others. Empty where none came to it, or where nothing of it needs to be known.
 */
export async function formerRows<Fate extends { status: string }>(
  runs: readonly FormerRun[],
  asked: AskedStep,
): Promise<(FormerRows<Fate>[] | Lost)[]> {
  const found: (FormerRows<Fate>[] | Lost)[] = [];
  for (const chain of chainsOf(runs)) {
    const known = await rowsOfChain<Fate>(chain, asked);
    if (!Array.isArray(known) || known.length > 0) found.push(known);
  }
  return found;
}

async function rowsOfChain<Fate extends { status: string }>(
  runs: readonly FormerRun[],
  asked: AskedStep,
): Promise<FormerRows<Fate>[] | Lost> {
  const found: FormerRows<Fate>[] = [];
  // What is lost behind a run that is known is not asked of: that one had taken it over.
  const orLost = (lost: Lost): FormerRows<Fate>[] | Lost => (found.length > 0 ? found : lost);
  for (const former of await standing(runs, asked)) {
    const { run } = former;
    const records = await recordsOf(former, asked);
    if (!records) continue;
    if ('why' in records) return orLost(records);
    const { former: store, name } = records;
    const list = await currentRowList(store, name);
    if (list === undefined) {
      if (existsSync(store.path('intents', name, 'chunk'))) return orLost({ run, why: 'its list of rows is gone' });
      continue;
    }
    const facts = await readRowList(store, list);
    if (!existsSync(store.path(facts.folder))) return orLost({ run, why: 'its list of rows is gone' });
    const rows = rowsOf<Fate>(store, name, list, facts);
    found.push({ run, body: facts.body, rows: byRows(former, asked.step) && !name.includes('[') ? thatGaveNone(rows) : rows });
  }
  return found;
}

/** Rows of a loop that was taken back by what they gave: of those that gave something nothing is done any more. */
async function* thatGaveNone<Fate extends { status: string }>(rows: FormerRows<Fate>['rows']): FormerRows<Fate>['rows'] {
  for await (const row of rows) yield row.fate?.status === 'done' ? { key: row.key, row: row.row, calls: [] } : row;
}

async function* rowsOf<Fate>(
  store: RunStore,
  name: string,
  list: string,
  facts: RowList,
): AsyncGenerator<FormerRow<Fate>, void, undefined> {
  for (const [part, { first }] of facts.parts.entries()) {
    const taken = await readTakenRows<Fate>(store, list, part);
    const journal = openIntents(store, [name, 'chunk', String(part)], 'reader').calls();
    const calls = callsByRow(journal, name);
    for (const [at, { key, row }] of (await readRows(store, facts, part)).entries()) {
      const ended = journal.get(String(at));
      const before = taken[at] ?? {};
      const fate = ended?.is === 'done' ? (ended.result as Fate) : before.fate;
      yield { key, row, ...(fate === undefined ? {} : { fate }), calls: calls.get(first + at) ?? before.calls ?? [] };
    }
  }
}

/** Calls of steps by the place of their row: those that are open or done. */
function callsByRow(journal: ReadonlyMap<string, CallState>, loop: string): Map<number, RowCall[]> {
  const found = new Map<number, RowCall[]>();
  for (const [named, state] of journal) {
    const [, index, call] = (named.startsWith(`${loop}[`) && /^\[(\d+)\]\.(.+)$/s.exec(named.slice(loop.length))) || [];
    if (index === undefined || state.is === 'new') continue;
    const calls = found.get(Number(index)) ?? [];
    calls.push(state.is === 'done' ? { call: call!, result: state.result as Json } : { call: call!, open: state.intents });
    found.set(Number(index), calls);
  }
  return found;
}
