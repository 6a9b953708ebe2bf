import { readFile } from 'node:fs/promises';
import { writeOnce } from '../files/whole-file.ts';
import { byRows, outermost } from '../pipelines/undo-ids.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { namesIn } from './names-in.ts';
import { createRunStore } from './create-run-store.ts';
import type { RunStore } from './run-store.ts';

/** A step that goes by what an earlier run has done: who takes one of both back has taken back the other. `was`: its name there. */
export type TakenOver = { step: string; run: string; was: string };

const folder = 'taken-over';

/**
 * Keeps that a step, or the loop in which it stands, has taken over what an earlier run had done of it, and what that one had taken over. Of a
 * loop that was taken back by its rows only turns are left that no undo takes back.
 */
export async function keepTakenOver({ step, store }: { step: string; store: Pick<RunStore, 'path'> }, former: FormerRun): Promise<void> {
  if (byRows(former, step)) return;
  const own = outermost({}, step);
  const was = outermost(former, step);
  const before = (await takenOver(createRunStore(former.store))).filter((each) => each.step === was);
  for (const each of [{ run: former.run, was }, ...before]) await writeOnce(store.path(folder, own, each.run), each.was);
}

/** What the steps of a run have taken over; of one whose folder is gone nothing. */
export async function takenOver(store: Pick<RunStore, 'path'>): Promise<TakenOver[]> {
  const found: TakenOver[] = [];
  for (const step of await namesIn(store.path(folder)))
    for (const run of await namesIn(store.path(folder, step)))
      found.push({ step, run, was: await readFile(store.path(folder, step, run), 'utf8') });
  return found;
}
