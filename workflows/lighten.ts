import { hasEnd } from '../pipelines/ends.ts';
import { isKept } from '../pipelines/kept.ts';
import type { Json } from '../text/json.ts';
import { bytesOf } from './interpreter/bytes-of.ts';
import { batchWanted, takeKept, type Collect } from './interpreter/loop-rows.ts';
import type { State, StepState } from './interpreter/state.ts';

/** Bytes beyond which values go into the run store before the run is handed on, or ends: the server takes 2 MiB. */
const mostBytes = 1_000_000;

/** Values that are handed to a worker at a time, in bytes. */
const atATime = 500_000;

/** Of shorter ones the reference would be as long. */
const leastBytes = 250;

export type Lightening = {
  /** Puts values into the run store, and gives what names them there, in their order. */
  keep: (values: Json[], batch: number) => Promise<Json[]>;
  /** Puts rows of a loop there; false where that failed. */
  collect: (command: Collect) => Promise<boolean>;
};

/**
 * Makes the state of a run lighter, where it, or the view of its end, would be longer than the server takes: rows of loops go into the run
 * store, items that no turn has begun with are read again, of steps that have ended the input is forgotten, and their output, and what
 * gates show, goes into the run store, where all that reads it looks for longer values too. Nothing else may be under way. `handed`: what
 * the server is given.
 */
export async function lighten(state: State, handed: unknown, { keep, collect }: Lightening): Promise<void> {
  if (bytesOf(handed) <= mostBytes) return;
  const steps = Object.values(state.steps);
  for (const step of steps) if (hasEnd(step.status)) forget(step);
  for (const [path, step] of Object.entries(state.steps)) {
    if (isKept(step.input)) delete step.loop?.page;
    for (let rows = batchWanted(path, step); rows; rows = batchWanted(path, step)) {
      // What cannot be kept now fails the loop in the next execution, where it is tried again.
      if (!(await collect(rows))) break;
      takeKept(step);
    }
  }
  const long = steps.flatMap((step) => [...outputOf(step), ...shownOf(step)]).filter(({ bytes }) => bytes >= leastBytes);
  for (let begun = 0, batch = 0; begun < long.length; batch++) {
    let bytes = 0;
    const part = long.slice(begun).filter((each, at) => (bytes += each.bytes) <= atATime || at === 0);
    begun += part.length;
    const kept = await keep(
      part.map(({ value }) => value),
      batch,
    );
    for (const [at, { put }] of part.entries()) put(kept[at]!);
  }
}

/** A gate has begun to wait. */
const isGate = ({ expiresAt }: StepState): boolean => expiresAt !== undefined;

/** What nothing reads of a step that has ended; of a gate the view shows what it asked. */
function forget(step: StepState): void {
  if (!isGate(step)) delete step.input;
  if (step.loop) step.loop.rows = [];
}

/** A value that may go into the run store. */
type Long = { value: Json; bytes: number; put: (kept: Json) => void };

const longOf = (value: Json | undefined, put: Long['put']): Long[] =>
  value === undefined || isKept(value) ? [] : [{ value, bytes: bytesOf(value), put }];

const outputOf = (step: StepState): Long[] => (hasEnd(step.status) ? longOf(step.output, (kept) => void (step.output = kept)) : []);

function shownOf(step: StepState): Long[] {
  const asked = isGate(step) ? (step.input as { show?: Json }) : {};
  return longOf(asked.show, (show) => void (step.input = { ...asked, show }));
}
