import { BadInput, Undecided } from '../../errors/classes.ts';
import type { LoopBody } from '../../pipelines/plan.ts';
import { isUnclear, isUnclearRow } from '../../pipelines/row-effects.ts';
import { saidOf, settle } from '../../pipelines/own/settle.ts';
import { formerRows, type FormerRow, type FormerRows } from '../../store/former-rows.ts';
import { keepTakenOver } from '../../store/taken-over.ts';
import { keepTurn } from '../../store/turns.ts';
import { passedRows, type PassedRows } from '../../store/passed-rows.ts';
import { readRows, writeTakenRows, type ListedRow, type RowCall, type RowList, type TakenRows } from '../../store/row-lists.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';
import type { StepContext } from '../frame/context.ts';
import type { Ended } from '../own/ledger-rows.ts';
import { given } from './turn.ts';

/** Names in a message. */
const mostNamed = 5;

/**
 * What a rerun takes over of the run before it, row by row: a row that is done with the same steps is not done again, and of any other
 * what its steps have begun is known. `acts`: a repeat of the steps would be a second effect. Fails with `Undecided` where nobody has said
 * what became of a row that may have been done.
 */
export async function takeOver(
  { list, facts, body, acts }: { list: string; facts: RowList; body: LoopBody; acts: boolean },
  context: StepContext,
): Promise<void> {
  await keepTurn(context);
  const { former } = context.run;
  if (!former) return;
  const known = await formerRows<Ended>(former.runs, context);
  if (!known) return;
  if ('why' in known) {
    if (acts && saidOf(former.settled, context.step) !== 'again')
      throw new Undecided(
        `run ${known.run} may have done rows of ${context.step}, and nobody knows: ${known.why}; see what it did, and where it did nothing: portolan rerun ${former.runs[0]!.run} --fate ${context.step}=again`,
      );
    return;
  }
  const same = sameBody(known.body, body);
  await using passed = passedRows<FormerRow<Ended>>(context.store.path(facts.folder, 'passed'));
  const before = finder(known, passed);
  const from = former.runs.find(({ run }) => run === known.run)!;
  const renamed = namesOf(body, from.renamed ?? {});
  const open: string[] = [];
  let goesBy = false;
  for (let part = 0; part < facts.parts.length; part++) {
    const taken: TakenRows<Ended> = {};
    for (const [at, row] of (await readRows(context.store, facts, part)).entries()) {
      const was = await before(row.key);
      if (!was || (was.fate === undefined && was.calls.length === 0)) continue;
      if (canonical(was.row) !== canonical(row.row)) {
        if (acts && saidOf(former.settled, row.key) !== 'again') throw otherRow(row, known.run);
        continue;
      }
      const verdict = settle(
        isUnclearRow(was) ? { is: 'open' } : was.fate && { is: 'done', fate: was.fate },
        saidOf(former.settled, row.key),
      );
      if (verdict === 'ask' && acts) open.push(row.key);
      else if (verdict === 'keep' && (same || isUnclearRow(was))) taken[at] = { fate: kept(was, known.run) };
      else taken[at] = { calls: carried(was, { same, renamed }) };
    }
    if (!goesBy && Object.keys(taken).length > 0) {
      await keepTakenOver(context, from);
      goesBy = true;
    }
    await writeTakenRows(context.store, list, part, taken);
  }
  if (open.length > 0) throw undecided(open, known.run, former.runs[0]!.run);
}

/** The former rows by their names. Both lists are most often in the same order: then nothing is put aside. */
function finder({ rows }: FormerRows<Ended>, passed: PassedRows<FormerRow<Ended>>): (key: string) => Promise<FormerRow<Ended> | undefined> {
  return async (key) => {
    const found = await passed.take(key);
    if (found) return found;
    for (;;) {
      const { value, done } = await rows.next();
      if (done) return undefined;
      if (value.key === key) return value;
      if (value.fate !== undefined || value.calls.length > 0) await passed.put(value.key, value);
    }
  };
}

/** Are the steps what they were, and all that they read beside the row? */
function sameBody(before: Json, now: LoopBody): boolean {
  const read = ({ as, outputs, steps, scope }: LoopBody): string =>
    canonical({
      as,
      outputs,
      steps: steps.map(({ timeouts: _timeouts, ...does }) => does),
      params: scope.params,
      reads: scope.steps,
      items: scope.items ?? {},
    });
  const text = read(now);
  return !/\brun\b/.test(text) && text === read(before as LoopBody);
}

/** The row as it ended before; of one that a person speaks of nothing else is known. */
const kept = ({ fate }: FormerRow<Ended>, run: string): Ended =>
  fate && fate.status !== 'unknown'
    ? { ...fate, reason: fate.reason ?? `by run ${run}` }
    : { status: 'done', attempts: 0, reason: `a person says: done by run ${run}` };

/** Names of steps as they were, and as they are. */
const namesOf = ({ steps }: LoopBody, renamed: { readonly [step: string]: string }): ReadonlyMap<string, string> =>
  new Map(steps.map(({ id }) => [Object.hasOwn(renamed, id) ? renamed[id]! : id, id]));

/** What the steps of a row have done, for the same calls of this run. What they gave to each other is known again where they are the same. */
const carried = ({ calls }: FormerRow<Ended>, { same, renamed }: { same: boolean; renamed: ReadonlyMap<string, string> }): RowCall[] =>
  calls.flatMap((each): RowCall[] => {
    const [step, ...call] = each.call.split(' ');
    const id = renamed.get(step!);
    if (id === undefined || isUnclear(each) || (call.join(' ') === given && !same)) return [];
    return [{ ...each, call: [id, ...call].join(' ') }];
  });

const otherRow = ({ key }: ListedRow, run: string): BadInput =>
  new BadInput(
    'bad_input',
    `row '${key}' was done by run ${run} with another content: what its steps did would be done again. Name rows by a column whose values stay (key), say that it is to be done (--fate ${key}=again), or start a new run`,
  );

function undecided(open: readonly string[], run: string, last: string): Undecided {
  const named = open.slice(0, mostNamed).join(', ');
  const what = open.length === 1 ? `row ${named}` : `${open.length} rows (${named}${open.length > mostNamed ? ', …' : ''})`;
  return new Undecided(
    `run ${run} may have done ${what}, and nobody knows; see what it did, then say so: portolan rerun ${last} --fate ${open[0]}=done (or =again)`,
  );
}
