import type { Json } from '../text/json.ts';
import { listedItems } from './listed-items.ts';

/** A turn: the hashes of its items and its numbers, from the outermost loop on. */
export type Turn = { items: readonly string[]; numbers: readonly string[] };

/** A turn of now: which of its items have fields, and what the loops of these go over. Of a list that is not known no item stands elsewhere. */
type TurnNow = Turn & { fields: readonly boolean[]; lists?: readonly (Json | null)[] | undefined };

/**
 * The turns of an earlier run that a turn may be of which no item is the same in all fields: loop by loop the item is the same, or it is the
 * turn of that number, and what was done there is of no item of the list of now. Else an item that was put before others would take what
 * was done for one of these, and that would be done again.
 */
export async function turnsByPlace(kept: readonly Turn[], { items, numbers, fields, lists }: TurnNow): Promise<readonly Turn[]> {
  let left = kept;
  for (const [at, item] of items.entries()) {
    const atPlace = fields[at] ? left.filter((each) => each.numbers[at] === numbers[at] && each.items[at] !== item) : [];
    const list = lists?.[at];
    const listed = atPlace.length > 0 && list ? await listedItems(list) : [];
    const free = new Map([...Map.groupBy(atPlace, pathTo(at))].map(([path, [one]]) => [path, isFree(one!, at, left, listed)]));
    left = left.filter((each) => each.items[at] === item || free.get(pathTo(at)(each)));
  }
  return left;
}

/** The numbers of a turn down to a loop. */
const pathTo =
  (at: number) =>
  ({ numbers }: Turn): string =>
    numbers.slice(0, at + 1).join('-');

/**
 * Whether a turn is of an item that the list has no more, or as often no more. Which of several equal ones is left follows from both lists
 * alone, whoever comes first: items take the turn of their own number, then the first of the others.
 */
function isFree({ items, numbers }: Turn, at: number, left: readonly Turn[], listed: readonly string[]): boolean {
  const above = numbers.slice(0, at).join('-');
  const equal = left.filter((each) => each.items[at] === items[at] && each.numbers.slice(0, at).join('-') === above);
  const before = new Set(equal.map((each) => each.numbers[at]!));
  const now = new Set(listed.flatMap((item, index) => (item === items[at] ? [String(index)] : [])));
  const others = [...before.difference(now)].toSorted();
  return others.indexOf(numbers[at]!) >= now.difference(before).size;
}
