import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import type { Counts } from '../../pipelines/phases.ts';
import { keptLimit } from '../../pipelines/kept.ts';
import { rowActs } from '../../pipelines/row-effects.ts';
import type { LoopBody } from '../../pipelines/plan.ts';
import { nounOf } from '../../pipelines/steps/rows-loop.ts';
import type { Step } from '../../pipelines/step.ts';
import { keepRows } from '../../store/kept-rows.ts';
import { makeTables } from '../../store/loop-rows.ts';
import { readRowList, readRows, readTakenRows, removeRows, setRowList, writeRowList, type RowList } from '../../store/row-lists.ts';
import type { Json } from '../../text/json.ts';
import type { Activity } from '../frame/activity.ts';
import { checkAllDone } from '../items/all-done.ts';
import { checkTolerance } from '../items/tolerance.ts';
import { begunOf, type Ended } from '../own/ledger-rows.ts';
import { listInto, type Over } from './list.ts';
import { rowCode, type CodeIn } from './row-code.ts';
import { takeOver } from './take-over.ts';
import { workThrough } from './turns.ts';

type State = { list: string; rows: number; columns: string[]; acts: boolean };

/** A loop over the rows of a table, or over files: the rows into the run store, chunks of them worked through, what they gave as a table. */
export const rowsOf = (steps: Readonly<Record<string, Step>>, codeIn: CodeIn): Activity<Over, any, 'sweep'> => ({
  async prepare(over, context, given) {
    const body = given!;
    const list = join('loops', context.step, context.attemptId);
    const facts: RowList = { folder: list, ...(await listInto(list, over, context)), body };
    await writeRowList(context.store, list, facts);
    await takeOver({ list, facts, body, acts: rowActs(body.steps, steps) }, context);
    // Last: a list without what was taken over would say of every row that nothing was done.
    await setRowList(context.store, context.step, list);
    const state: State = { list, rows: facts.rows, columns: Object.keys(body.outputs), acts: rowActs(body.steps, steps) };
    return { chunks: facts.parts.length, items: facts.rows, unit: `${nounOf(over)}s`, state };
  },

  async chunk(_, { list, rows: total, columns }: State, index, context) {
    const facts = await readRowList(context.store, list);
    const code = await rowCode(facts.body as LoopBody, steps, codeIn);
    const { first } = facts.parts[index]!;
    const rows = await readRows(context.store, facts, index);
    const taken = await readTakenRows<Ended>(context.store, list, index);
    const ended = await workThrough(code, { rows, first, total, taken }, context);
    // What a later attempt has written stays.
    await context.fence();
    if (columns.length > 0)
      await keepRows(
        context.store,
        context.step,
        index,
        ended.flatMap(({ result }, at) => (result ? [{ turn: first + at, row: result as { [name: string]: Json } }] : [])),
      );
    const counts: Counts = { done: rows.length };
    for (const { status } of ended) if (status !== 'done') counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  },

  async sent(_, { list }: State, index, context) {
    return begunOf(await readRows(context.store, await readRowList(context.store, list), index), context);
  },

  async finish(_, { rows, columns, acts: keeps }: State, { done: ended = 0, unknown = 0, failed = 0 }, context) {
    // A row of which nobody knows what was done has failed its chunk.
    checkAllDone(ended - unknown, rows);
    const [first] = failed > 0 ? await context.store.readItems({ step: context.step, status: 'failed', limit: 1 }) : [];
    checkTolerance(context, 'failed', failed, rows, first && `${first.item}: ${first.reason ?? 'no reason given'}`);
    const counts = { count: rows, done: rows - failed, failed };
    const table = columns.length > 0 ? await makeTables(context.store, context.step, columns, keptLimit) : {};
    // What a repeat would do twice a rerun asks for.
    if (!keeps) {
      await rm(context.store.path('intents', context.step), { recursive: true, force: true });
      await removeRows(context.store, context.step);
    }
    return { ...counts, ...table };
  },
});
