import { BadInput } from '../../errors/classes.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { tagChunk } from '../../pipelines/steps/points/tag.ts';
import type { definition } from '../../pipelines/steps/points/restore.ts';
import { tagStepOf, type TagEntry, type TagName } from '../../store/tag-record.ts';
import { checkAllDone } from '../items/all-done.ts';
import { idsOfChunk } from '../items/ids-of-chunk.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { changeTag, fateOf, type TagChange } from './change-tag.ts';
import { mapFacts } from './map-facts.ts';
import { openRecord } from './open-record.ts';
import { takingBack } from './taking-back.ts';

type State = { tag: string } & (
  | { nothing: true }
  | (TagChange & {
      nothing: false;
      name: TagName;
      /** The entry of the step in the record of its tag. */
      entry: number;
      /** The newest one when this began, where only one that begins later can change what is the step's alone. */
      newest?: number | undefined;
      points: { uri: string; count: number };
      /** All points of the step. */
      of: number;
      perChunk: number;
    })
);

const opposite = { add: 'remove', remove: 'add' } as const;

const activity: ActivityOf<typeof definition> = {
  async prepare({ record: of }, context) {
    const [run, step] = of.split('/') as [string, string];
    const kept = await tagStepOf(context.store, { run, step });
    if (!kept)
      throw new BadInput('bad_input', `record: this run store has none of ${of}: no such step began, or the folder of its run is gone`);
    const nothing = (tag: string, cause: string) => nothingToDo(context, tag, cause);
    if (kept.dryRun) return nothing('', 'nothing to take back: it was a dry run');
    const { name, number } = kept;
    const { name: connection } = context.connection('maps');
    const url = context.mapsUrl('');
    if (name.connection !== connection || name.url !== url)
      throw new BadInput(
        'bad_input',
        `record: ${of} changed a tag by the connection ${name.connection} (${name.url}), and this is ${connection} (${url})`,
      );
    const record = openRecord(context, name);
    const entries = await record.entries();
    const entry = entries.find((each) => each.number === number);
    if (!entry) throw new BadInput('bad_input', `record: the entry of ${of} is gone from the tag record of this store`);
    if (entry.undone) return nothing(name.tag, `nothing to take back: ${of} was taken back before`);
    refuseContinued(entries, entry, of);
    await record.takeBack(number, context.run.id, 'undoing');
    const newest = await record.quietBeside(number);
    const points = await context.store.writeIds(`${context.step}/${context.attemptId}`, async (add) => {
      for await (const ids of record.changed({ number })) await add(ids);
    });
    const { dataset, idField, points: mapPoints } = await mapFacts(context, name.map);
    const { map, tag } = name;
    const operation = opposite[entry.operation];
    const facts = { tag, operation, map, dataset, idField, mapPoints, name, points };
    const state: State = {
      ...facts,
      nothing: false,
      entry: number,
      newest,
      of: await record.count(number),
      perChunk: tagChunk,
    };
    return { chunks: Math.ceil(points.count / tagChunk), items: points.count, state };
  },

  async chunk(_, state: State, index, context): Promise<Counts> {
    if (state.nothing) return {};
    const { points, perChunk, name, entry, newest, operation } = state;
    const ids = await idsOfChunk(context.store, points, perChunk, index);
    return takingBack(context, name, entry + index, async () => {
      const still = await stillAlone(context, { name, entry, newest }, ids);
      const missing = still.length === 0 ? [] : await changeTag(context, state, still);
      return { done: ids.length, [fateOf[operation]]: still.length - missing.length, missing: missing.length };
    });
  },

  sent: async (_, state: State, index, { store }) => (state.nothing ? [] : idsOfChunk(store, state.points, state.perChunk, index)),

  async finish(_, state: State, counts, context) {
    if (state.nothing) return { tag: state.tag, count: 0, kept: 0, missing: 0 };
    const { points, operation, tag, name, entry, of } = state;
    checkAllDone(counts['done'] ?? 0, points.count);
    const { [fateOf[operation]]: count = 0, missing = 0 } = counts;
    await openRecord(context, name).takeBack(entry, context.run.id, 'undone');
    return { tag, count, kept: of - count - missing, missing };
  },
};
export default activity;

async function nothingToDo(context: StepContext, tag: string, cause: string) {
  await context.store.event({ step: context.step, kind: 'note', cause });
  return { chunks: 0, items: 0, state: { tag, nothing: true } satisfies State };
}

/** What a later run has taken over is that run's. */
function refuseContinued(entries: readonly TagEntry[], { number }: TagEntry, of: string): void {
  const by = entries.find(({ continues = [], undone }) => continues.includes(number) && !undone);
  if (by) throw new BadInput('bad_input', `record: run ${by.run} went on with ${of}: take that back instead, portolan undo ${by.run}`);
}

/** Points that no other run has tagged since this one began to take them back. */
async function stillAlone(
  context: StepContext,
  { name, entry, newest }: { name: TagName; entry: number; newest?: number | undefined },
  ids: string[],
): Promise<string[]> {
  const record = openRecord(context, name);
  if ((await record.entries()).at(-1)!.number === newest) return ids;
  const still: string[] = [];
  for await (const batch of record.changed({ number: entry }, ids)) still.push(...batch);
  return still;
}
