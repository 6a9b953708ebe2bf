import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tagChunk, type definition } from '../../pipelines/steps/points/tag.ts';
import { partName } from '../../store/part-name.ts';
import { writeIdPart, type TagOperation } from '../../store/tag-lists.ts';
import { isAsked } from '../../pipelines/undo-ids.ts';
import { recordsOf } from '../../store/former-runs.ts';
import { keepTagStep, type TagName } from '../../store/tag-record.ts';
import { checkAllDone } from '../items/all-done.ts';
import { idsOfChunk } from '../items/ids-of-chunk.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { changeTag, fateOf, knownPoints, recordMissing, type TagChange } from './change-tag.ts';
import { mapFacts } from './map-facts.ts';
import { openRecord } from './open-record.ts';
import { drySeen, seeTag } from './see-tag.ts';
import { keepTurn } from '../../store/turns.ts';
import { tagMemory, type Tagged } from './tag-memory.ts';
import { behindUndos } from './taking-back.ts';

type State = Omit<TagChange, 'map'> & {
  /** Of the map, when the step began. */
  version: string;
  /** What an earlier run acknowledged: then nothing is sent. */
  known?: Tagged;
  /** Ids of a chunk. */
  perChunk: number;
  /** What was done, in the record of the tag; of a dry run there is none. */
  entry?: number;
  /** It is known which points had the tag before. */
  seen?: boolean;
};

/** A tag of a map in the record of this store. */
const recordOf = (context: StepContext, map: string, tag: string): TagName => ({
  connection: context.connection('maps').name,
  url: context.mapsUrl(''),
  map,
  tag,
});

/** Where a dry run keeps the ids that there are. */
const dryPoints = ({ store, step }: StepContext): string => store.path('tags', `${step}.points`);

/** What the step was in earlier runs: its name there, of a turn that of its item; where the folder of a run is gone, the one that it has now. */
async function formerSteps(context: StepContext): Promise<{ run: string; step: string }[]> {
  await keepTurn(context);
  const found: { run: string; step: string }[] = [];
  for (const each of context.run.former?.runs ?? []) {
    const records = isAsked(each, context.step) && (await recordsOf(each, context));
    if (records) found.push({ run: each.run, step: 'former' in records ? records.name : context.step });
  }
  return found;
}

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const tag = (input.add ?? input.remove)!;
    const operation: TagOperation = input.add === undefined ? 'remove' : 'add';
    const { dataset, idField, version, points: mapPoints } = await mapFacts(context, input.map);
    const state: State = { tag, operation, version, perChunk: tagChunk, dataset, idField, mapPoints };
    const chunks = Math.ceil(input.points.count / tagChunk);
    const name = recordOf(context, input.map, tag);
    const record = openRecord(context, name);
    const asked = { map: input.map, tag, dataset, idField, version, points: input.points };
    if (input.dryRun) {
      await keepTagStep(context.store, context.step, { dryRun: true });
      return { chunks, items: input.points.count, state: { ...state, seen: await seeTag(context, record, asked) } };
    }
    const memory = tagMemory(context, { tag, operation, version, map: input.map, points: input.points });
    const points = `${await context.store.hashIds(input.points.uri)}/${input.points.count}`;
    const known = input.again ? undefined : await memory.known();
    // What the record does not have cannot be distinguished from what others did: it is sent once more.
    const same = known && (await record.same({ operation, points }));
    const entry = await record.begin({ run: context.run.id, step: context.step, operation, points }, await formerSteps(context));
    await keepTagStep(context.store, context.step, { dryRun: false, name, number: entry });
    const seen = await seeTag(context, record, asked, entry);
    const isThere = async ({ count }: Tagged): Promise<boolean> => {
      const tagged = await record.countTagged(entry, input.points.uri);
      return operation === 'add' ? tagged >= count : tagged === 0;
    };
    const as = known && same && (!seen || (await isThere(known))) ? same.number : undefined;
    const stands = await record.stands(entry, as);
    if (known && stands) {
      await context.store.event({
        step: context.step,
        kind: 'note',
        cause: `nothing sent: run ${known.run} had done the same to the same points of the same map`,
      });
      return { chunks: 0, items: input.points.count, state: { ...state, entry, seen, known }, counts: { done: input.points.count } };
    }
    await memory.begin();
    return { chunks, items: input.points.count, state: { ...state, entry, seen } };
  },

  async chunk(input, state: State, index, context) {
    const ids = await idsOfChunk(context.store, input.points, state.perChunk, index);
    if (input.dryRun) {
      const { there, missing } = await knownPoints(context, { ...state, map: input.map }, ids);
      recordMissing(context, missing, { attempts: context.attempt });
      await writeIdPart(join(dryPoints(context), partName(index)), there);
      return { done: ids.length, missing: ids.length - there.length };
    }
    const name = recordOf(context, input.map, state.tag);
    const record = openRecord(context, name);
    const kept = (points: readonly string[]): Promise<void> =>
      state.entry === undefined ? Promise.resolve() : record.points(state.entry, index, points);
    // Before they are sent: after a kill nobody else knows of them.
    await kept(ids);
    await behindUndos(context, name);
    const missing = await changeTag(context, { ...state, map: input.map }, ids);
    if (missing.length > 0) {
      const gone = new Set(missing);
      await kept(ids.filter((id) => !gone.has(id)));
    }
    return { done: ids.length, [fateOf[state.operation]]: ids.length - missing.length, missing: missing.length };
  },

  sent: ({ points, dryRun }, { perChunk }: State, index, { store }) =>
    dryRun ? Promise.resolve([]) : idsOfChunk(store, points, perChunk, index),

  async finish(input, state: State, counts, context) {
    const { known, operation, tag, version, entry } = state;
    const { map, points, dryRun } = input;
    checkAllDone(counts['done'] ?? 0, points.count);
    const { count, missing } = known ?? {
      count: dryRun ? points.count - (counts['missing'] ?? 0) : (counts[fateOf[operation]] ?? 0),
      missing: counts['missing'] ?? 0,
    };
    const record = openRecord(context, recordOf(context, map, tag));
    if (!known && !dryRun) {
      await tagMemory(context, { tag, operation, version, map, points }).end({ count, missing });
      if (entry !== undefined) await record.end(entry);
    }
    let changed = 0;
    if (state.seen) {
      const dry = { operation, list: pathToFileURL(dryPoints(context)).href, seen: drySeen(context) };
      const of = entry === undefined ? dry : { number: entry };
      for await (const ids of record.countChanged(of)) {
        changed += ids;
        context.progress({ done: points.count, total: points.count, unit: 'items', note: `${changed} of them changed` });
      }
    }
    return {
      tag,
      count,
      missing,
      changed: state.seen ? changed : null,
      unchanged: known !== undefined,
      record: `${context.run.id}/${context.step}`,
    };
  },
};
export default activity;
