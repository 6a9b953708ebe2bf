import { ApplicationFailure } from '@temporalio/common';
import { concernsAll } from '../frame/concerns-all.ts';
import { isWait } from '../../client/wait.ts';
import { classesOf } from '../../pipelines/error-classes.ts';
import { mostOfShare } from '../../pipelines/share.ts';
import { number } from '../../text/units.ts';
import type { StepContext } from '../frame/context.ts';
import { triedItem, type Ended, type RowFailure, type TriedItem } from '../own/ledger-rows.ts';

/** So many rows in a row fail by what may pass: the service is down, and the chunk comes back later instead of asking for each row. */
const mostInARow = 10;

/** Nobody knows what was done: no file tolerates it. */
const isUnknown = (failure: RowFailure): boolean => classesOf(failure) === undefined;

/** When a row was first begun, beside its attempts. */
export type TriedRow = TriedItem & { since: number };

/** Rows of a chunk by their place in it: how those ended that have, and what is known of those that are tried again. */
export type KnownRows = { ended: Map<number, Ended>; tried: Map<number, TriedRow> };

/**
 * What the end of one row means for the others of its chunk: when no further one is begun, and how the chunk ends. `total`: rows of the
 * whole table, of which the file tolerates some.
 */
export function createRowEnds({ ended, tried }: KnownRows, total: number, context: StepContext, ends: () => void) {
  const intents = context.intents();
  const tolerated = mostOf(context, total);
  let failed = 0;
  let tooMany: Error | undefined;
  let again: Error | undefined;
  let inARow = 0;
  const count = (failure: RowFailure): void => {
    failed += 1;
    if (isUnknown(failure) || failed > tolerated) tooMany ??= tooManyFailed(failure, failed, total);
  };
  // An attempt that was lost, or given up by a pause, has not said that the loop has failed.
  for (const { failure } of ended.values()) if (failure) count(failure);
  const end = (at: number, fate: Omit<Ended, 'attempts'>): void => {
    const whole = { ...fate, attempts: (tried.get(at)?.attempts ?? 0) + 1 };
    intents.done(String(at), whole);
    ended.set(at, whole);
    inARow = 0;
    ends();
  };
  return {
    done: (at: number, outputs: Record<string, unknown>): void =>
      end(at, { status: 'done', ...(Object.keys(outputs).length > 0 ? { result: outputs } : {}) }),
    fail(at: number, failure: RowFailure): void {
      end(at, { status: isUnknown(failure) ? 'unknown' : 'failed', reason: `${failure.step}: ${failure.message}`, failure });
      count(failure);
    },
    /** The row is begun again by the next attempt. */
    putOff(at: number, error: Error, since: number): void {
      intents.withdraw(String(at));
      if (concernsAll(error)) {
        // The chunk comes back for the first place that is kept for one of its rows.
        if (!again || !isWait(again) || (isWait(error) && error.waitMs < again.waitMs)) again = error;
        return;
      }
      const known: TriedRow = { attempts: (tried.get(at)?.attempts ?? 0) + 1, since, reason: error.message };
      tried.set(at, known);
      intents.done(triedItem(at), known);
      inARow += 1;
      again ??= error;
    },
    /** Whether no further row is begun. */
    isOver: (): boolean =>
      tooMany !== undefined || context.signal.aborted || inARow >= mostInARow || (again !== undefined && concernsAll(again)),
    /** Fails where the loop has failed, or the chunk comes back for the rest of its rows. */
    throwIfOpen(): void {
      if (tooMany) throw tooMany;
      if (again) throw again;
    },
  };
}

/** Rows that may fail without failing the loop: as many as the file tolerates of all. */
function mostOf({ tolerate }: StepContext, total: number): number {
  const { share, count } = tolerate['failed'] ?? {};
  return share === undefined ? (count ?? 0) : mostOfShare(share, total);
}

/** The failure of the row, as that of the loop: of the same class, and not tried again. */
const tooManyFailed = ({ type, step, message, details }: RowFailure, failed: number, total: number): Error =>
  ApplicationFailure.create({
    type,
    message: `${number(failed)} of ${number(total)} rows failed, the last one at ${step}: ${message}`,
    nonRetryable: true,
    details: details ? [details] : [],
  });
