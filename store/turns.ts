import { readFile } from 'node:fs/promises';
import { writeOnce, writeWhole } from '../files/whole-file.ts';
import type { Json } from '../text/json.ts';
import { folderOfStep } from './instance-folder.ts';
import { hashOf } from './listed-items.ts';
import { namesIn } from './names-in.ts';
import type { RunStore } from './run-store.ts';
import { turnsByPlace, type Turn } from './turns-by-place.ts';

/**
 * A step as its run begins it: its path by the numbers of its turns, and by their items, such as `review[17].ask` and `review[north].ask`.
 * `lists`: of a rerun, what the loops go over whose items have fields, by the brackets of the path. `ofRow`: a step of a row, which later
 * runs find by the name of the row.
 */
export type StepInTurn = { step: string; byItem: string; ofRow?: true; lists?: readonly (Json | null)[]; store: Pick<RunStore, 'path'> };

/** What stands in the brackets of a path, in their order. */
const bracketsOf = (path: string): string[] => [...path.matchAll(/\[([^[\]]*)\]/g)].map(([, inside]) => inside!);

/** Where the turns of a step stand, and one of them. Undefined of a step in no turn, and of one of a row: that has a name. */
function turnOf({ step, byItem, ofRow }: Omit<StepInTurn, 'store'>): (Turn & { folder: string; fields: readonly boolean[] }) | undefined {
  const numbers = bracketsOf(step);
  const names = bracketsOf(byItem);
  if (ofRow || numbers.length === 0 || numbers.length !== names.length) return undefined;
  return {
    folder: folderOfStep(step.replaceAll(/\[\d+\]/g, '[n]')),
    numbers,
    items: names.map(hashOf),
    fields: names.map((name) => name.startsWith('{')),
  };
}

/** Keeps which items a step is of: by them a rerun finds what it has done, where the list of the loop has another order, or other items. */
export async function keepTurn(now: StepInTurn): Promise<void> {
  const turn = turnOf(now);
  if (turn) await writeWhole(now.store.path('turns', turn.folder, `${turn.items.join('-')}.${turn.numbers.join('-')}`), '');
}

/** The turns of a folder, in the order of their items and numbers. */
async function keptIn(folder: string): Promise<Turn[]> {
  const names = (await namesIn(folder)).toSorted();
  return names.map((name) => {
    const [items, numbers] = name.split('.') as [string, string];
    return { items: items.split('-'), numbers: numbers.split('-') };
  });
}

/**
 * The path that a step had in an earlier run, where its turn was of the same item: an item that is there twice has two, and each is taken once.
 * `step`: as it was named there. Where items have fields, any of which may be another one now, and none is the same, it is the turn of the
 * same number, unless that is of another item of the list; not of one that shares a part of them alone (`exact`). Undefined where that run
 * has not begun the step for the item.
 */
export async function formerTurn(
  { run, store: former, step, exact = false }: { run: string; store: Pick<RunStore, 'path'>; step: string; exact?: boolean },
  now: StepInTurn,
): Promise<string | undefined> {
  const turn = turnOf({ ...now, step });
  if (!turn) return step;
  const kept = await keptIn(former.path('turns', turn.folder));
  const taken = async (turns: readonly Turn[]): Promise<string | undefined> => {
    const [own = [], others = []] = [true, false].map((is) => turns.filter(({ numbers }) => isSame(numbers, turn.numbers) === is));
    for (const { numbers } of [...own, ...others]) {
      const path = withNumbers(step, numbers);
      if (await take(now, run, path)) return path;
    }
    return undefined;
  };
  const same = await taken(kept.filter(({ items }) => isSame(items, turn.items)));
  if (same !== undefined || exact) return same;
  return taken(await turnsByPlace(kept, { ...turn, lists: now.lists }));
}

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();

function withNumbers(step: string, numbers: readonly string[]): string {
  const next = numbers.values();
  return step.replaceAll(/\[\w+\]/g, () => `[${next.next().value}]`);
}

/** Whether a turn of an earlier run is this step's, in every attempt: whoever comes first has it. */
async function take({ step, store }: StepInTurn, run: string, path: string): Promise<boolean> {
  const file = store.path('turns', 'taken', hashOf(`${run} ${path}`));
  return (await writeOnce(file, step)) || (await readFile(file, 'utf8')) === step;
}
