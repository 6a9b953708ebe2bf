import { isKept } from '../../pipelines/kept.ts';
import { overOf } from '../../pipelines/loop-over.ts';
import type { ItemsPage } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { keyOf, type Command, type StepState } from './state.ts';

/** Takes what a loop goes over. Fails where it is nothing to go over; a list that stands in the run store is looked at there. */
export function takeItems({ loop }: StepState, input: Json): void {
  if (!isKept(input)) loop!.items = overOf(input).count;
}

/** Takes a part of such a list. */
export function takePage({ loop }: StepState, { total, items }: ItemsPage): void {
  loop!.items = total;
  loop!.page = { from: loop!.next, items };
}

/** Items that turns can begin with, so many at most. */
export function itemsAtHand({ input, loop }: StepState, most: number): Json[] {
  const { next, page } = loop!;
  if (isKept(input)) return page ? page.items.slice(next - page.from, next - page.from + most) : [];
  const over = overOf(input!);
  return Array.from({ length: Math.min(most, over.count - next) }, (_, at) => over.at(next + at));
}

/** The next part of a list in the run store, once all before it have begun. */
export function pageWanted(path: string, step: StepState): Command[] {
  const { next, items } = step.loop!;
  if (!isKept(step.input) || next === items || itemsAtHand(step, 1).length > 0) return [];
  return [{ do: 'items', key: keyOf(path, 'items', next), step: path, from: next }];
}
