import { hasEnd } from '../pipelines/ends.ts';
import { isKept } from '../pipelines/kept.ts';
import type { Plan } from '../pipelines/plan.ts';
import type { Json } from '../text/json.ts';
import { bytesOf } from './interpreter/bytes-of.ts';
import { batchWanted, takeKept, type Collect } from './interpreter/loop-rows.ts';
import type { State } from './interpreter/state.ts';

/** Bytes of plan and state beyond which values go into the run store before the run continues as new: the server takes 2 MiB. */
const mostBytes = 1_000_000;

/** Values that are handed to a worker at a time, in bytes. */
const atATime = 500_000;

/** Of shorter ones the reference would be as long. */
const leastBytes = 500;

export type Lightening = {
  /** Puts values into the run store, and gives what names them there, in their order. */
  keep: (values: Json[], batch: number) => Promise<Json[]>;
  /** Puts rows of a loop there; false where that failed. */
  collect: (command: Collect) => Promise<boolean>;
};

/**
 * Makes the state of a run lighter, where it would be too long for the next execution: rows of loops go into the run store, items that no
 * turn has begun with are read again, and of steps that have ended input and output go into the run store, where all that reads them looks
 * for longer ones too. Nothing else may be under way.
 */
export async function lighten(state: State, plan: Plan, { keep, collect }: Lightening): Promise<void> {
  if (bytesOf([plan, state]) <= mostBytes) return;
  for (const [path, step] of Object.entries(state.steps)) {
    if (isKept(step.input)) delete step.loop?.page;
    for (let rows = batchWanted(path, step); rows; rows = batchWanted(path, step)) {
      // What cannot be kept now fails the loop in the next execution, where it is tried again.
      if (!(await collect(rows))) break;
      takeKept(step);
    }
  }
  const long = Object.values(state.steps)
    .filter(({ status }) => hasEnd(status))
    .flatMap((step) => (['input', 'output'] as const).map((field) => ({ step, field, value: step[field] })))
    .flatMap(({ value, ...at }) => {
      const bytes = value === undefined || isKept(value) ? 0 : bytesOf(value);
      return bytes < leastBytes ? [] : [{ ...at, value: value!, bytes }];
    });
  for (let begun = 0, batch = 0; begun < long.length; batch++) {
    let bytes = 0;
    const part = long.slice(begun).filter((each, at) => (bytes += each.bytes) <= atATime || at === 0);
    begun += part.length;
    const kept = await keep(
      part.map(({ value }) => value),
      batch,
    );
    for (const [at, { step, field }] of part.entries()) step[field] = kept[at]!;
  }
}
