import { readFile } from 'node:fs/promises';
import { BadInput } from '../../errors/classes.ts';
import { writeOnce } from '../../files/whole-file.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { MarkOwner } from '../../store/marks.ts';
import { planFile } from '../../store/run-record.ts';
import { sha256 } from '../../text/sha256.ts';
import { fromLines } from '../../text/lines.ts';
import type { StepContext } from '../frame/context.ts';

/** The names of a step and of the loops around it, without their turns. */
const namesIn = (path: string): string => path.replaceAll(/\[[^[\]]*\]/g, '');

/** The names that mirrors of a plan have, of a run that is a step of another behind that. */
function mirrorsOf({ steps }: Plan, as: string | undefined): Set<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const nameOf = (id: string): string => {
    const outer = byId.get(id)?.in;
    if (outer !== undefined) return `${nameOf(outer)}.${id}`;
    return as === undefined ? id : `${namesIn(as)}.${id}`;
  };
  return new Set(steps.filter(({ use }) => use === 'dataset.mirror').map(({ id }) => nameOf(id)));
}

/**
 * Which of these ids other mirrors of the pipeline have among their rows of the same dataset, those of other turns too: a row that has moved
 * from one source to another is gone at the first alone. Lists of steps that the file no longer has do not count.
 */
export async function heldByOthers({ marks, store, run }: StepContext, own: MarkOwner, ids: readonly string[]): Promise<Set<string>> {
  const held = new Set<string>();
  const plan = ids.length === 0 ? undefined : await store.readJson<Plan>(planFile);
  if (!plan) return held;
  const there = mirrorsOf(plan, run.as);
  for (const owner of await marks.owners()) {
    const isOther = owner.step !== own.step || owner.source !== own.source;
    const isBeside = owner.pipeline === own.pipeline && owner.connection === own.connection && owner.dataset === own.dataset;
    if (!isOther || !isBeside || !there.has(namesIn(owner.step))) continue;
    const newest = await marks.newest(owner);
    const list = newest?.to?.kind === 'rows' ? marks.seenFile(newest) : undefined;
    const theirs = new Set(list === undefined ? [] : fromLines(await readFile(list, 'utf8')));
    for (const id of ids) if (theirs.has(id)) held.add(id);
  }
  return held;
}

/** The first step of this run that mirrors by a list, in every attempt. */
export async function firstWith({ store, step }: StepContext, owner: MarkOwner): Promise<string> {
  const list = sha256(JSON.stringify([owner.connection, owner.dataset, owner.step, owner.source])).slice(0, 16);
  const file = store.path('mirror', `first-${list}`);
  return (await writeOnce(file, step)) ? step : readFile(file, 'utf8');
}

/**
 * Fails where another turn of the run mirrors by the same list: turns over objects that read one source, of which each would delete what the
 * others have put there.
 */
export function refuseShared({ step }: StepContext, first: string): void {
  if (first !== step)
    throw new BadInput(
      'bad_input',
      `${step} reads the same source into the same dataset as ${first}, and would delete the rows of that: turns over objects are known by their sources. Go over texts, which are known by themselves (in a loop in a loop for several), or give each turn a source of its own. Nothing was sent`,
    );
}
