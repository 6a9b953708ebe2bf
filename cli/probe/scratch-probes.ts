import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Field, Int32, Schema, Table, TimestampMillisecond, Utf8, tableToIPC, vectorFromArray } from 'apache-arrow';
import { z } from 'zod';
import { ApiError, isAmbiguous } from '../../client/errors.ts';
import type { ReadingOf } from '../../contracts/assumptions/index.ts';
import type { Ask } from '../../contracts/endpoint.ts';
import { addArrow, deleteRows, get as rowsOf, lastModified } from '../../contracts/maps/data.ts';
import { create as createIndex, update } from '../../contracts/maps/indices.ts';
import { create, get, remove } from '../../contracts/maps/projects.ts';
import { list as listTags } from '../../contracts/maps/map-tags.ts';
import { update as changeTag } from '../../contracts/maps/tags.ts';
import { CommandError } from '../frame/errors.ts';
import type { Found } from './found.ts';

/** Rows by id as the service gives them: the contract leaves out what comes as null. */
const rawRows = z.looseObject({ datums: z.array(z.unknown()) });

const rows = 30;
const waitMs = 120_000;
const notCommitted = `the update did not commit the deletion within ${waitMs / 1_000} s`;
const day = 86_400_000;

/** An Arrow file of scratch rows. */
function shard(project_id: string, ids: readonly string[], text: string): Uint8Array<ArrayBuffer> {
  const types = { id: new Utf8(), text: new Utf8(), number: new Int32(), at: new TimestampMillisecond() };
  const schema = new Schema(
    Object.entries(types).map(([name, type]) => new Field(name, type, true)),
    new Map([
      ['project_id', project_id],
      ['on_id_conflict_ignore', 'true'],
    ]),
  );
  const columns = {
    id: vectorFromArray([...ids], types.id),
    text: vectorFromArray(
      ids.map((id) => `${text} ${id}`),
      types.text,
    ),
    number: vectorFromArray(
      ids.map((_, at) => at),
      types.number,
    ),
    at: vectorFromArray(
      ids.map((_, at) => at * day),
      types.at,
    ),
  };
  return tableToIPC(new Table(schema, columns), 'file') as Uint8Array<ArrayBuffer>;
}

const statusOf = async (act: () => Promise<unknown>): Promise<number> => {
  try {
    await act();
    return 200;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.status;
    throw error;
  }
};

/** The readings that show only by writing: to a dataset that is made for it in the organization, and removed at the end. */
export async function scratchProbes(ask: Ask, organization_id: string): Promise<Found> {
  const found: Found = { readings: {}, unknown: {} };
  const name = `portolan-probe-${randomUUID().slice(0, 8)}`;
  const onDataset = async (work: (project_id: string, slug: string) => void | Promise<void>): Promise<string> => {
    const { project_id, slug } = await ask(create, { organization_id, project_name: name, slug: name, unique_id_field: 'id' }).catch(
      (error: unknown) => {
        throw isAmbiguous(error) ? stays(`a dataset named ${name} may be there`, error) : error;
      },
    );
    try {
      await work(project_id, slug);
    } finally {
      await ask(remove, { project_id }).catch((error: unknown) => {
        throw stays(`the scratch dataset ${slug} is still there (${project_id})`, error);
      });
    }
    return project_id;
  };
  const removed = await onDataset((project_id) => probeDataset(ask, project_id, found));
  found.readings['second-removal'] = await secondRemoval(ask, removed);
  await onDataset((_, slug) => void (found.readings['removed-slug'] = slug === name ? 'free' : 'held'));
  return found;
}

const stays = (what: string, error: unknown): CommandError =>
  new CommandError(`${what}: ${error instanceof Error ? error.message : String(error)}`, {
    remedy: 'remove it: portolan call maps.projects.remove --json \'{"project_id": "…"}\' --yes',
    cause: error,
  });

async function secondRemoval(ask: Ask, project_id: string): Promise<ReadingOf<'second-removal'>> {
  return (await statusOf(() => ask(remove, { project_id }))) === 200 ? 'succeeds' : 'not-found';
}

async function probeDataset(ask: Ask, project_id: string, { readings, unknown }: Found): Promise<void> {
  const ids = Array.from({ length: rows }, (_, at) => `probe-${at}`);
  const stamp = async (): Promise<number> => (await ask(lastModified, { dataset_id: project_id }))?.latest_addition_timestamp ?? 0;
  const read = async (id: string): Promise<Record<string, unknown> | undefined> =>
    ask(rowsOf, { project_id, datum_ids: [id] }).then(
      ({ datums }) => datums[0],
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      },
    );
  const until = async (holds: () => Promise<boolean>): Promise<boolean> => {
    for (const deadline = performance.now() + waitMs; performance.now() < deadline; await sleep(500)) if (await holds()) return true;
    return false;
  };
  const settled = (): Promise<boolean> =>
    until(async () => {
      const { insert_update_delete_lock, maps } = await ask(get, { project_id });
      return !insert_update_delete_lock && maps.every(({ ready }) => ready);
    });

  await ask(addArrow, { body: shard(project_id, ids, 'first') });
  readings.counts = (await ask(get, { project_id })).total_datums_in_project === rows ? 'at-once' : 'late';
  readings['version-unit'] = (await stamp()) < 1e11 ? 'seconds' : 'milliseconds';
  readings['unknown-datum'] = await unknownDatum(ask, project_id, ids[0]!);
  readings['known-ids'] = await knownIds(ask, project_id, ids[0]!, async () => String((await read(ids[0]!))?.['text']));
  const at = (await read(ids[0]!))?.['at'];
  readings['row-times'] = typeof at === 'number' ? 'epoch-ms' : /(?:Z|[+-]\d\d:?\d\d)$/.test(String(at)) ? 'iso' : 'iso-unzoned';

  const random = { model: null, indexed_field: null, nearest_neighbor_index: null, projection: 'SvcProject' };
  const order = { project_id, index_name: 'probe', ...random, projection_hyperparameters: '{"model":"random"}' };
  const built = await statusOf(() => ask(createIndex, order));
  if (built !== 200 || !(await until(async () => (await ask(get, { project_id })).maps.some(({ ready }) => ready)))) {
    for (const each of [
      'tagged-count',
      'tag-scope',
      'unknown-tag',
      'tag-points',
      'unknown-deletion',
      'update-operation',
      'deletion-version',
      'readded-id',
      'same-index-name',
    ] as const)
      unknown[each] = `no map could be built (${built})`;
    return;
  }
  const projection_id = (await ask(get, { project_id })).maps[0]!.projection_id!;
  readings['same-index-name'] = await sameIndexName(ask, order);
  await settled();
  const tag = { projection_id, ids: ids.slice(0, 2), id_field: 'id' };
  await ask(changeTag, { ...tag, tag_name: 'probe', operation: 'add' });
  const again = await ask(changeTag, { ...tag, tag_name: 'probe', operation: 'add' });
  readings['tagged-count'] = again.points_tagged === 2 ? 'found' : 'changed';
  readings['unknown-tag'] =
    (await statusOf(() => ask(changeTag, { ...tag, tag_name: 'never', operation: 'remove' }))) === 200 ? 'accepted' : 'refused';

  const late = 'probe-late';
  await ask(addArrow, { body: shard(project_id, [late], 'late') });
  await settled();
  const { points_tagged: beside } = await ask(changeTag, { ...tag, ids: [late], tag_name: 'probe', operation: 'add' });
  if (beside === 0 || beside === 1) readings['tag-scope'] = beside === 1 ? 'dataset' : 'map';
  else unknown['tag-scope'] = 'the service does not say how many points it has tagged';

  readings['tag-points'] = (await statusOf(() => ask(listTags, { project_id, projection_id }))) === 200 ? 'tiles' : 'none';

  readings['unknown-deletion'] =
    (await statusOf(() => ask(deleteRows, { project_id, datum_ids: ['portolan-no-such-row'] }))) === 200 ? 'ignored' : 'refused';

  const before = await stamp();
  await ask(deleteRows, { project_id, datum_ids: [ids[1]!] });
  const ordered = (await stamp()) !== before;
  const updated = await statusOf(() => ask(update, { project_id }));
  readings['update-operation'] = updated === 200 ? 'there' : 'gone';
  if (updated !== 200) {
    if (ordered) readings['deletion-version'] = 'at-once';
    else unknown['deletion-version'] = 'no update commits the deletion';
    unknown['readded-id'] = 'no update commits the deletion';
    return;
  }
  const committed = async (id: string): Promise<boolean> => (await until(async () => (await read(id)) === undefined)) && (await settled());
  if (ordered) readings['deletion-version'] = 'at-once';
  if (!(await committed(ids[1]!))) {
    if (!ordered) unknown['deletion-version'] = notCommitted;
    unknown['readded-id'] = notCommitted;
    return;
  }
  if (!ordered) readings['deletion-version'] = (await stamp()) === before ? 'never' : 'at-commit';

  // What becomes of the row that is added again shows by itself no commit: one that was deleted with it does.
  await ask(deleteRows, { project_id, datum_ids: [ids[2]!, ids[3]!] });
  await ask(addArrow, { body: shard(project_id, [ids[2]!], 'second') });
  const shown = String((await read(ids[2]!))?.['text']);
  await ask(update, { project_id });
  if (!(await committed(ids[3]!))) {
    unknown['readded-id'] = notCommitted;
    return;
  }
  const left = await read(ids[2]!);
  readings['readded-id'] = left ? 'replaces' : shown.startsWith('second') ? 'lost' : 'skipped';
}

async function knownIds(ask: Ask, project_id: string, id: string, text: () => Promise<string>): Promise<ReadingOf<'known-ids'>> {
  if ((await statusOf(() => ask(addArrow, { body: shard(project_id, [id], 'other') }))) !== 200) return 'refused';
  return (await text()).startsWith('other') ? 'replaced' : 'skipped';
}

async function sameIndexName(ask: Ask, order: z.input<typeof createIndex.input>): Promise<ReadingOf<'same-index-name'>> {
  if ((await statusOf(() => ask(createIndex, order))) !== 200) return 'refused';
  return (await ask(get, { project_id: order.project_id })).atlas_indices.length > 1 ? 'another' : 'existing';
}

async function unknownDatum(ask: Ask, project_id: string, known: string): Promise<ReadingOf<'unknown-datum'>> {
  const missing = 'portolan-no-such-row';
  try {
    const { datums } = await ask({ ...rowsOf, output: rawRows }, { project_id, datum_ids: [known, missing] });
    return datums.includes(null) ? 'null' : 'left-out';
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return error.body.includes(missing) ? 'named' : 'unnamed';
  }
}
