import { join } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import { patient } from '../../client/patient.ts';
import { BadInput, Unexplained } from '../../errors/classes.ts';
import { reconcile } from '../../pipelines/budgets/ledger.ts';
import { ledgerColumns, type LedgerBudget, type LedgerRun } from '../../pipelines/budgets/ledger-parts.ts';
import { sayFindings, sayLedger } from '../../pipelines/budgets/say-ledger.ts';
import { runsInChunk, type definition } from '../../pipelines/steps/budgets/ledger.ts';
import { resultsOf, writeResults } from '../../store/results.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { checkAllDone } from '../items/all-done.ts';
import { isUnderWay, listedAgents, namedRuns, readRun, type RunOf } from './read-runs.ts';
import { ledgerBudgets, spentNow } from './read-spent.ts';

/** `members`: whose runs a table names. */
type State = { list: string; runs: number; members: string[] };

const atOnce = 4;

/** Reads of what goes on changing, until two say the same. */
const mostReads = 5;

/** Lines of a result, and of the message of a failure. */
const mostLines = { said: 500, failed: 10 };

/** Where the last ledger of a connection without a finding is kept: runs that are deleted later, or change, are told by it. */
const lastOf = ({ connection }: StepContext): string => JSON.stringify(['ledger', connection('instance').name, connection('instance').url]);

const lastRuns = async (context: StepContext): Promise<Map<string, LedgerRun>> =>
  new Map(((await context.store.recall<LedgerRun[]>(lastOf(context))) ?? []).map((run) => [run.run, run]));

const fileOf = (list: string, chunk: number): string => `${list}-${chunk}.json`;
const readFileOf = (context: StepContext, chunk: number): string => join('budgets', context.step, `read-${chunk}.json`);

async function kept<T>(context: StepContext, file: string): Promise<T> {
  const value = await context.store.readJson<T>(file);
  if (value === undefined) throw new Error(`${file} is gone from the run store`);
  return value;
}

/** Users by email or id, as the budgets name their members. */
function memberIds(budgets: readonly LedgerBudget[]): (called: string) => string {
  const ids = new Map(
    budgets.flatMap(({ members }) =>
      members.flatMap(({ id, email }) => [[id, id], ...(email ? [[email.toLowerCase(), id]] : [])] as [string, string][]),
    ),
  );
  return (called) => {
    const id = ids.get(called.toLowerCase());
    // Who has left is no member any more, and is known by the id of then.
    if (id === undefined && z.guid().safeParse(called).success) return called;
    if (id === undefined)
      throw new BadInput(
        'bad_input',
        `${called} is no member of any budget that this key sees: correct caller, or the column member of runs`,
      );
    return id;
  };
}

const activity: ActivityOf<typeof definition> = {
  async prepare({ caller: called, runs: source }, given) {
    const context = patient(given);
    const caller = called || null;
    const runs = new Map<string, RunOf>();
    for (const { id } of await listedAgents(context)) runs.set(id, { agent: id, member: caller });
    const named = source === undefined ? [] : await namedRuns(source, context);
    // Without a caller the list says of none whose it is.
    for (const each of named) if ((runs.get(each.agent)?.member ?? null) === null) runs.set(each.agent, each);
    for (const { run, member } of (await lastRuns(context)).values()) if (!runs.has(run)) runs.set(run, { agent: run, member });
    const all = [...runs.values()];
    const list = join('budgets', context.step, `${context.attemptId}-list`);
    const chunks = Math.ceil(all.length / runsInChunk);
    for (let chunk = 0; chunk < chunks; chunk++)
      await context.store.writeJson(fileOf(list, chunk), all.slice(chunk * runsInChunk, (chunk + 1) * runsInChunk), { synced: false });
    return {
      chunks,
      items: all.length,
      unit: 'runs',
      state: { list, runs: all.length, members: [...new Set(named.flatMap(({ member }) => member ?? []))] } satisfies State,
    };
  },

  async chunk(_, { list }: State, index, given) {
    const context = patient(given);
    const runs = await kept<RunOf[]>(context, fileOf(list, index));
    let done = 0;
    const read = await pLimit(atOnce).map(runs, async (run) => {
      const found = await readRun(run, context);
      context.progress({ done: ++done, total: runs.length, unit: 'runs' });
      return found;
    });
    await context.store.writeJson(
      readFileOf(context, index),
      read.map((each) => each ?? null),
    );
    return { done: runs.length };
  },

  async finish({ caller: called, onUnexplained }, { list, runs: count, members }: State, { done = 0 }, given) {
    const context = patient(given);
    const caller = called || null;
    checkAllDone(done, count);
    const before = await lastRuns(context);
    const runs = new Map<string, LedgerRun>();
    for (let chunk = 0; chunk * runsInChunk < count; chunk++) {
      const asked = await kept<RunOf[]>(context, fileOf(list, chunk));
      const read = await kept<(LedgerRun | null)[]>(context, readFileOf(context, chunk));
      for (const [at, { agent }] of asked.entries()) {
        const was = before.get(agent);
        const run = read[at] ?? (was && { ...was, underWay: false, gone: true });
        if (run) runs.set(agent, run);
      }
    }
    const { budgets, moving } = await readTogether(runs, caller, context);
    const idOf = memberIds(budgets);
    for (const [id, run] of runs) if (run.member !== null) runs.set(id, { ...run, member: idOf(run.member) });
    const known = new Set([...(caller === null ? [] : [caller]), ...members].map(idOf));
    const ledger = reconcile({ budgets, runs: [...runs.values()], known, before, moving });
    await writeResults(context.store, context.step, 0, ledgerColumns, ledger.rows);
    const findings = sayFindings(ledger);
    if (findings.length === 0) await context.store.remember(lastOf(context), [...runs.values()]);
    const results = resultsOf(context.store, context.step);
    if (findings.length > 0 && onUnexplained === 'fail')
      throw new Unexplained(
        `${ledger.unexplainedCents} cents of ${ledger.spentCents} are unexplained:\n${findings.slice(0, mostLines.failed).join('\n')}\nall rows: ${results}`,
      );
    return {
      budgets: budgets.length,
      runs: runs.size,
      spentCents: ledger.spentCents,
      unexplainedCents: ledger.unexplainedCents,
      findings: findings.slice(0, mostLines.said),
      says: sayLedger(ledger, budgets).slice(0, mostLines.said),
      results,
    };
  },
};
export default activity;

/** Reads budgets and the runs that may have gone on, until nothing was spent between two reads; `moving`: there was no such moment. */
async function readTogether(
  runs: Map<string, LedgerRun>,
  caller: string | null,
  context: StepContext,
): Promise<{ budgets: LedgerBudget[]; moving: boolean }> {
  for (let reads = 1; ; reads++) {
    const first = await spentNow(context);
    const stale = new Map<string, RunOf>();
    for (const { id, status, updatedAt = null } of await listedAgents(context)) {
      const known = runs.get(id);
      if (!known || known.underWay || isUnderWay(status) || known.updatedAt !== updatedAt)
        stale.set(id, { agent: id, member: known?.member ?? caller });
    }
    for (const { run, member, underWay } of runs.values()) if (underWay) stale.set(run, { agent: run, member });
    await pLimit(atOnce).map([...stale.values()], async (run) => {
      const found = await readRun(run, context);
      if (found) runs.set(run.agent, found);
    });
    const budgets = await ledgerBudgets([...runs.values()], context);
    const still = (await spentNow(context)) === first;
    if (still || reads === mostReads) return { budgets, moving: !still };
  }
}
