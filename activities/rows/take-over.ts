import { BadInput, Undecided } from '../../errors/classes.ts';
import type { FormerRun } from '../../pipelines/former-run.ts';
import type { LoopBody } from '../../pipelines/plan.ts';
import { goOn } from '../frame/go-on.ts';
import { isUnclear, isUnclearRow } from '../../pipelines/row-effects.ts';
import { sayFate, saidOf, settle } from '../../pipelines/own/settle.ts';
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
  const all = await formerRows<Ended>(former.runs, context);
  const lost = all.find((known) => 'why' in known);
  if (lost && acts && saidOf(former.settled, context.step) !== 'again')
    throw new Undecided(
      `run ${lost.run} may have done rows of ${context.step}, and nobody knows: ${lost.why}; see what it did, and where it did nothing: ${goOn(context.run)} ${sayFate(context.step, 'again')}`,
    );
  await using stack = new AsyncDisposableStack();
  const sources = all.map((chain): Source[] => {
    if ('why' in chain) return [];
    return chain.map((known, at) => {
      const from = former.runs.find(({ run }) => run === known.run)!;
      const passed = stack.use(passedRows<FormerRow<Ended>>(context.store.path(facts.folder, `passed-${known.run}`)));
      const find = finder(known, passed, { all: at < chain.length - 1 });
      return { from, same: sameBody(known.body, body), renamed: namesOf(body, from.renamed ?? {}), find };
    });
  });
  if (!sources.some((chain) => chain.length > 0)) return;
  const open: string[] = [];
  let asked = '';
  const goesBy = new Set<string>();
  for (let part = 0; part < facts.parts.length; part++) {
    const taken: TakenRows<Ended> = {};
    for (const [at, row] of (await readRows(context.store, facts, part)).entries()) {
      const found = await before(sources, row.key);
      if (!found) continue;
      const { was, same, renamed, from } = found;
      if (canonical(was.row) !== canonical(row.row)) {
        if (acts && saidOf(former.settled, row.key) !== 'again') throw otherRow(row, from.run);
        continue;
      }
      const verdict = settle(
        isUnclearRow(was) ? { is: 'open' } : was.fate && { is: 'done', fate: was.fate },
        saidOf(former.settled, row.key),
      );
      if (verdict === 'ask' && acts) {
        open.push(row.key);
        asked ||= from.run;
        continue;
      }
      taken[at] =
        verdict === 'keep' && (same || isUnclearRow(was)) ? { fate: kept(was, from.run) } : { calls: carried(was, { same, renamed }) };
      if (!goesBy.has(from.run)) await keepTakenOver(context, from);
      goesBy.add(from.run);
    }
    await writeTakenRows(context.store, list, part, taken);
  }
  if (open.length > 0) throw undecided(open, asked, goOn(context.run));
}

/** An earlier run that knows rows of the loop: whether their steps were the same, and by what names. */
type Source = {
  from: FormerRun;
  same: boolean;
  renamed: ReadonlyMap<string, string>;
  find: (key: string) => Promise<FormerRow<Ended> | undefined>;
};

type Known = Source & { was: FormerRow<Ended> };

/** What is known of a row: what one of those that stand beside each other has settled, else what may have been done. */
async function before(sources: readonly (readonly Source[])[], key: string): Promise<Known | undefined> {
  const known: Known[] = [];
  for (const chain of sources) {
    const found = await newestWith(chain, key);
    if (found && isKnown(found.was)) known.push(found);
  }
  const settled = known.find(({ was }) => was.fate && !isUnclearRow(was) && settle({ is: 'done', fate: was.fate }, undefined) === 'keep');
  return settled ?? known.find(({ was }) => isUnclearRow(was)) ?? known[0];
}

/** The newest run whose list had the row: it had taken over what was known of it before, and what was taken back since. */
async function newestWith(chain: readonly Source[], key: string): Promise<Known | undefined> {
  for (const source of chain) {
    const was = await source.find(key);
    if (was) return { ...source, was };
  }
  return undefined;
}

const isKnown = ({ fate, calls }: FormerRow<Ended>): boolean => fate !== undefined || calls.length > 0;

/**
 * The former rows by their names. Both lists are most often in the same order: then nothing is put aside. `all`: also rows of which nothing
 * is known, for an older run would be asked of them.
 */
function finder(
  { rows }: FormerRows<Ended>,
  passed: PassedRows<FormerRow<Ended>>,
  { all }: { all: boolean },
): (key: string) => Promise<FormerRow<Ended> | undefined> {
  return async (key) => {
    const found = await passed.take(key);
    if (found) return found;
    for (;;) {
      const { value, done } = await rows.next();
      if (done) return undefined;
      if (value.key === key) return value;
      if (all || isKnown(value)) await passed.put(value.key, value);
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
    `row '${key}' was done by run ${run} with another content: what its steps did would be done again. Name rows by a column whose values stay (key), say that it is to be done (${sayFate(key, 'again')}), or start a new run`,
  );

function undecided(open: readonly string[], run: string, next: string): Undecided {
  const named = open.slice(0, mostNamed).join(', ');
  const what = open.length === 1 ? `row ${named}` : `${open.length} rows (${named}${open.length > mostNamed ? ', …' : ''})`;
  return new Undecided(
    `run ${run} may have done ${what}, and nobody knows; see what it did, then say so: ${next} ${sayFate(open[0]!, 'done')} (or =again)`,
  );
}
