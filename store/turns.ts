import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeOnce, writeWhole } from '../files/whole-file.ts';
import { folderOfStep } from './instance-folder.ts';
import { namesIn } from './names-in.ts';
import type { RunStore } from './run-store.ts';

/** A step as its run begins it: its path by the numbers of its turns, and by their items, such as `review[17].ask` and `review[north].ask`. */
export type StepInTurn = { step: string; byItem: string; store: Pick<RunStore, 'path'> };

/** What stands in the brackets of a path, in their order. */
const bracketsOf = (path: string): string[] => [...path.matchAll(/\[([^[\]]*)\]/g)].map(([, inside]) => inside!);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Where the turns of a step stand, and the number and the items of one. Undefined of a step in no turn, and of one of a row: that has a name. */
function turnOf(step: string, byItem: string): { folder: string; number: string; items: string } | undefined {
  const numbers = bracketsOf(step);
  const items = bracketsOf(byItem);
  if (numbers.length === 0 || numbers.length !== items.length) return undefined;
  return { folder: folderOfStep(step.replaceAll(/\[\d+\]/g, '[n]')), number: numbers.join('-'), items: hashOf(JSON.stringify(items)) };
}

/** Keeps which items a step is of: by them a rerun finds what it has done, where the list of the loop has another order, or other items. */
export async function keepTurn({ step, byItem, store }: StepInTurn): Promise<void> {
  const turn = turnOf(step, byItem);
  if (turn) await writeWhole(store.path('turns', turn.folder, `${turn.items}.${turn.number}`), '');
}

/**
 * The path that a step had in an earlier run, where its turn was of the same item: an item that is there twice has two, and each is taken once.
 * `step`: as it was named there. Where items have fields, any of which may be another one now, and none is the same, it is the turn of the
 * same number; not of one that shares a part of them alone (`exact`). Undefined where that run has not begun the step for the item.
 */
export async function formerTurn(
  { run, store: former, step, exact = false }: { run: string; store: Pick<RunStore, 'path'>; step: string; exact?: boolean },
  now: StepInTurn,
): Promise<string | undefined> {
  const turn = turnOf(step, now.byItem);
  if (!turn) return step;
  const kept = (await namesIn(former.path('turns', turn.folder))).toSorted();
  const numbers = kept.filter((name) => name.startsWith(`${turn.items}.`)).map(numberIn);
  const own = numbers.filter((number) => number === turn.number);
  for (const number of [...own, ...numbers.filter((each) => each !== turn.number)]) {
    const path = withNumbers(step, number);
    if (await take(now, run, path)) return path;
  }
  const hasFields = !exact && bracketsOf(now.byItem).some((item) => item.startsWith('{'));
  const isThere = own.length === 0 && kept.some((name) => numberIn(name) === turn.number);
  return hasFields && isThere && (await take(now, run, step)) ? step : undefined;
}

const numberIn = (name: string): string => name.slice(name.indexOf('.') + 1);

function withNumbers(step: string, number: string): string {
  const numbers = number.split('-').values();
  return step.replaceAll(/\[\w+\]/g, () => `[${numbers.next().value}]`);
}

/** Whether a turn of an earlier run is this step's, in every attempt: whoever comes first has it. */
async function take({ step, store }: StepInTurn, run: string, path: string): Promise<boolean> {
  const file = store.path('turns', 'taken', hashOf(`${run} ${path}`));
  return (await writeOnce(file, step)) || (await readFile(file, 'utf8')) === step;
}
