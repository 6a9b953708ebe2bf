import { BadInput, Undecided } from '../../errors/classes.ts';
import type { OwnStep, OwnSweep } from '../../pipelines/own/define.ts';
import { settle } from '../../pipelines/own/settle.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { formerCalls, formerFates, type Taken } from '../../store/former-fates.ts';
import type { SweepItem } from '../../store/sweep-items.ts';
import type { Json } from '../../text/json.ts';
import { keyOf } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import type { Ended } from './items.ts';

/** Names in a message. */
const mostNamed = 5;

/** What a rerun takes over of the run before it, item by item. */
export type TakeOver = {
  /** How an item ended before; undefined where it is to be done. `at`: its number in the chunk. */
  take(chunk: number, at: number, item: SweepItem): void;
  /** By chunk. Fails with `Undecided` where nobody has said what became of an item that may have been done. */
  taken(): ReadonlyMap<number, Taken<Ended>>;
};

/**
 * With effect `never` a rerun does no item again that has ended before: it takes its fate, by its name. What failed is done
 * again; what may have been done only where a person has said so (`portolan rerun --fate`). Undefined where there is nothing before.
 */
export async function takeOver(own: OwnSweep, context: StepContext): Promise<TakeOver | undefined> {
  const { former } = context.run;
  if (own.effect !== 'never' || !former) return undefined;
  const fates = await formerFates<Ended>(createRunStore(former.store), context.step, own.name);
  if (!fates) return undefined;
  const chunks = new Map<number, Taken<Ended>>();
  const open: string[] = [];
  return {
    take(chunk, at, { key, item }) {
      const before = fates.get(key);
      const verdict = settle(before, former.settled?.[key]);
      if (verdict === 'again') return;
      if (before && before.item !== item)
        throw new BadInput(
          'bad_input',
          `'${key}' was done by run ${former.run} with another content; give the item another name (key), or start a new run`,
        );
      if (verdict === 'ask') return void open.push(key);
      const fate = before?.is === 'done' && before.fate.status !== 'unknown' ? before.fate : { status: 'done', attempts: 0 };
      const reason = fate.reason ?? (former.settled?.[key] ? `a person says: done by run ${former.run}` : `by run ${former.run}`);
      chunks.set(chunk, { ...chunks.get(chunk), [at]: { ...fate, reason } });
    },
    taken() {
      if (open.length === 0) return chunks;
      const named = open.slice(0, mostNamed).join(', ');
      throw new Undecided(
        `run ${former.run} may have done ${open.length === 1 ? named : `${open.length} items (${named}${open.length > mostNamed ? ', …' : ''})`}, and nobody knows; see what it did, then say so: portolan rerun ${former.run} --fate ${open[0]}=done (or =again)`,
      );
    },
  };
}

/**
 * The same for a single step: what it gave before, where the run before has done it with this input. Fails with `Undecided` where
 * that run may have done it and nobody has said that it is to be done again.
 */
export function takeOverCall(own: OwnStep, input: Json, context: StepContext): { result: Json } | undefined {
  const { former } = context.run;
  if (!former) return undefined;
  const call = keyOf({ operation: own.name, input });
  const calls = formerCalls(createRunStore(former.store), context.step, own.name);
  const before = calls.get(call);
  if (before?.is === 'done') {
    // The next rerun reads this run's journal.
    context.intents().done(call, before.result);
    return { result: before.result as Json };
  }
  if (former.settled?.[context.step] !== 'again' && [...calls.values()].some(({ is }) => is === 'open'))
    throw new Undecided(
      `run ${former.run} may have done ${context.step}, and nobody knows; see what it did, and where it did nothing: portolan rerun ${former.run} --fate ${context.step}=again`,
    );
  return undefined;
}
