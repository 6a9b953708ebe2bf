import { BadInput, Undecided } from '../../errors/classes.ts';
import type { OwnPoll, OwnStep, OwnSweep } from '../../pipelines/own/define.ts';
import { sayFate, saidOf, settle } from '../../pipelines/own/settle.ts';
import { formerCall } from '../../store/former-calls.ts';
import { contentOf, formerFates, type Taken } from '../../store/former-fates.ts';
import type { SweepItem } from '../../store/sweep-items.ts';
import { keepTakenOver } from '../../store/taken-over.ts';
import { keepTurn } from '../../store/turns.ts';
import type { Json } from '../../text/json.ts';
import { keyOf } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { goOn } from '../frame/go-on.ts';
import type { Ended } from './ledger-rows.ts';

/** Names in a message. */
const mostNamed = 5;

/** What a rerun takes over of the run before it, item by item. */
export type TakeOver = {
  /** How an item ended before; undefined where it is to be done. `at`: its number in the chunk. */
  take(chunk: number, at: number, item: SweepItem): void;
  /** By chunk. Fails with `Undecided` where nobody has said what became of an item that may have been done. */
  taken(): Promise<ReadonlyMap<number, Taken<Ended>>>;
};

/**
 * With effect `never` a rerun does no item again that has ended before: it takes its fate, by its name. What failed is done
 * again; what may have been done only where a person has said so (`portolan rerun --fate`). Undefined where there is nothing before.
 */
export async function takeOver(own: OwnSweep, context: StepContext): Promise<TakeOver | undefined> {
  if (own.effect !== 'never') return undefined;
  await keepTurn(context);
  const { former } = context.run;
  if (!former) return undefined;
  const { fates, lost } = await formerFates<Ended>(former.runs, context, own.name);
  if (fates.size === 0 && !lost) return undefined;
  const chunks = new Map<number, Taken<Ended>>();
  const open: { run: string; key: string; why?: string }[] = [];
  const by = new Set<string>();
  return {
    take(chunk, at, { key, item }) {
      const before = fates.get(key) ?? (lost && ({ ...lost, is: 'lost' } as const));
      const said =
        saidOf(former.settled, key) ?? (before?.is === 'lost' && saidOf(former.settled, context.step) === 'again' ? 'again' : undefined);
      const verdict = settle(before, said);
      if (!before || verdict === 'again') return;
      if (before.is !== 'lost' && before.content !== contentOf(item)) {
        if (said === 'again') return;
        throw new BadInput(
          'bad_input',
          `'${key}' was done by run ${before.run} with another content; give the item another name (key), say that it is to be done (${sayFate(key, 'again')}), or start a new run`,
        );
      }
      if (verdict === 'ask') return void open.push({ ...before, key });
      by.add(before.run);
      const fate = before.is === 'done' && before.fate.status !== 'unknown' ? before.fate : { status: 'done', attempts: 0 };
      const reason = fate.reason ?? (said ? `a person says: done by run ${before.run}` : `by run ${before.run}`);
      chunks.set(chunk, { ...chunks.get(chunk), [at]: { ...fate, reason } });
    },
    async taken() {
      const [first] = open;
      if (!first) {
        for (const each of former.runs) if (by.has(each.run)) await keepTakenOver(context, each);
        return chunks;
      }
      const named = open
        .slice(0, mostNamed)
        .map(({ key }) => key)
        .join(', ');
      const what = open.length === 1 ? named : `${open.length} items (${named}${open.length > mostNamed ? ', …' : ''})`;
      const whole = first.why === undefined ? '' : `; where it did nothing: ${sayFate(context.step, 'again')}`;
      throw new Undecided(
        `run ${first.run} may have done ${what}, and nobody knows${first.why === undefined ? '' : `: ${first.why}`}; see what it did, then say so: ${goOn(context.run)} ${sayFate(first.key, 'done')} (or =again)${whole}`,
      );
    },
  };
}

/**
 * The same for a single step: what it gave before, where a run before has done it with this input, is written into this run's
 * journal, as if it had just been done; the next rerun reads it there, whatever has become of the others. Fails with `Undecided`
 * where one of them may have done it and nobody has said that it is to be done again.
 */
export async function takeOverCall(own: OwnStep | OwnPoll, input: Json, context: StepContext): Promise<void> {
  await keepTurn(context);
  const { former } = context.run;
  const call = keyOf({ operation: own.name, input });
  // What this run has begun itself is its own.
  if (!former || context.intents().state(call).is !== 'new') return;
  const { done, open, lost } = await formerCall(former.runs, context, own.name, call);
  // What a poll started may have come to nothing: only then has a person a reason to start it anew.
  const anew = 'check' in own && saidOf(former.settled, context.step) === 'again';
  if (done && !anew) {
    await keepTakenOver(context, done.by);
    context.intents().done(call, done.result);
  } else if ((open !== undefined || lost) && saidOf(former.settled, context.step) !== 'again')
    throw new Undecided(
      `run ${lost?.run ?? open} may have done ${context.step}, and nobody knows${lost ? `: ${lost.why}` : ''}; see what it did, and where it did nothing: ${goOn(context.run)} ${sayFate(context.step, 'again')}`,
    );
}
