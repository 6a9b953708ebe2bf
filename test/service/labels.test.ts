import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { distinctiveWords, nameTopics } from '../../service/engine/labels/names.ts';
import { duplicateClasses, duplicatesOf } from '../../service/engine/labels/duplicates.ts';
import { fitTopics, leavesOf, topicCounts } from '../../service/engine/labels/topics.ts';
import { sidecarOfRoot } from './map-tiles.ts';
import { addRows, arrowFile, built, createProject, createWorld, indexOrder, type World } from './world.ts';

/** Numbers that a text decides, between -1 and 1. */
const numbersOf = (text: string, count: number): number[] =>
  Array.from({ length: count }, (_, at) => createHash('sha256').update(`${text} ${at}`).digest().readUInt32LE(0) / 2 ** 31 - 1);

test('duplicates are the groups that a comparison of all pairs gives', () => {
  const vector = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 40 }), fc.double({ min: 0.01, max: 1.9, noNaN: true }), (rows, cutoff) => {
      const cosine = (a: number[], b: number[]): number => {
        const length = Math.hypot(...a) * Math.hypot(...b);
        return length === 0 ? 0 : a.reduce((sum, value, at) => sum + value * b[at]!, 0) / length;
      };
      // What rounding decides is not asked for.
      fc.pre(rows.every((a) => rows.every((b) => Math.abs(1 - cosine(a, b) - cutoff) > 1e-4)));
      const group = rows.map((_, at) => at);
      for (let changed = true; changed;) {
        changed = false;
        for (const [i, a] of rows.entries())
          for (const [j, b] of rows.entries())
            if (i !== j && 1 - cosine(a, b) <= cutoff && group[i]! > group[j]!) {
              group[i] = group[j]!;
              changed = true;
            }
      }
      const firsts = [...new Set(group)];
      const { cluster, kind } = duplicatesOf(Float32Array.from(rows.flat()), 4, cutoff);
      expect(Array.from(cluster)).toEqual(group.map((first) => firsts.indexOf(first)));
      expect(Array.from(kind, (each) => duplicateClasses[each])).toEqual(
        group.map((first, at) =>
          group.filter((each) => each === first).length === 1 ? 'singleton' : first === at ? 'retention candidate' : 'deletion candidate',
        ),
      );
    }),
    { numRuns: 300 },
  );
});

test('wide vectors are compared whole: what their leading directions cannot tell apart is told apart', () => {
  const rows = Array.from({ length: 120 }, (_, at) => numbersOf(at % 3 === 0 ? `twin ${at - (at % 6)}` : `own ${at}`, 200));
  const { cluster } = duplicatesOf(Float32Array.from(rows.flat()), 200, 0.05);
  for (const [at, group] of cluster.entries()) {
    const twin = at % 3 === 0 ? at - (at % 6) : at;
    expect(group === cluster[twin]).toBe(true);
  }
  expect(new Set(cluster).size).toBe(100);
});

test('topics lie within those above them, every vector has one at each depth, and equal vectors have equal ones', () => {
  const middles = Array.from({ length: 12 }, (_, at) => numbersOf(`middle ${at}`, 300));
  const rows = Array.from({ length: 1_200 }, (_, at) =>
    numbersOf(`near ${at >> 1}`, 300).map((noise, k) => middles[(at >> 1) % 12]![k]! + noise / 10),
  );
  const vectors = Float32Array.from(rows.flat());
  const model = fitTopics(vectors, 300, rows.length);
  expect(model.depths.length).toBe(topicCounts(rows.length).length);
  const leaves = leavesOf(vectors, model);
  for (let at = 0; at < rows.length; at += 2) expect(leaves[at]).toBe(leaves[at + 1]);
  for (const [at, topics] of model.depths.entries()) {
    if (at === 0) continue;
    const above = new Map<number, number>();
    for (const [leaf, topic] of topics.entries()) {
      const parent = model.depths[at - 1]![leaf]!;
      expect(above.get(topic) ?? parent).toBe(parent);
      above.set(topic, parent);
    }
  }
  // Points of one middle share their topic at the finest depth more than by chance: no topic holds two middles.
  const middleOf = new Map<number, Set<number>>();
  for (const [at, leaf] of leaves.entries()) middleOf.set(leaf, (middleOf.get(leaf) ?? new Set()).add((at >> 1) % 12));
  expect([...middleOf.values()].filter((each) => each.size === 1).length).toBeGreaterThanOrEqual(middleOf.size - 1);
});

test('a topic is named by what it has more of than the rest, never by what stands everywhere, and each name is one topic', () => {
  const kinds = ['ship', 'bread', 'engine'];
  const texts = Array.from({ length: 90 }, (_, at) => `Frequent ${kinds[at % 3]} frequent record ${kinds[at % 3]}s`);
  const leaves = Uint16Array.from(texts, (_, at) => at % 3);
  const names = nameTopics(texts, leaves, [
    [1, 1, 2],
    [3, 4, 5],
  ]);
  expect(names.map(({ topic }) => topic)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(names.map(({ short }) => short)).size).toBe(5);
  for (const { description, short } of names) expect(`${short} ${description}`).not.toMatch(/frequent|record/i);
  expect(names.find(({ topic }) => topic === 3)!.description).toBe('ship');
  const counted = (texts: number, words: Record<string, number>) => ({ texts, words: new Map(Object.entries(words)) });
  expect(distinctiveWords(counted(10, { all: 10, own: 8, some: 4 }), counted(100, { all: 100, own: 8, some: 40 }))).toEqual(['own']);
});

const topical = { topic_model_hyperparameters: '{"build_topic_model": true}' };
const deduplicated = { duplicate_detection_hyperparameters: '{"tag_duplicates": true, "duplicate_cutoff": 0.02}' };

async function mapOf(world: World, project_id: string, more: object) {
  const { status, body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, more));
  expect([status, body.detail]).toEqual([200, undefined]);
  expect(await built(world.api, body.job_id)).toBe('Completed');
  return body.projection_id as string;
}

const infoOf = async ({ api }: World, project: string, map: string) =>
  (await api.get(`/v1/project/${project}/index/projection/${map}`)).body;

test('a map has the topics that were asked for, at several depths, with names of their own and a place; its points have them as columns', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 90);
  const map = await mapOf(world, project_id, topical);
  const { topic_models } = await infoOf(world, project_id, map);
  const topics = topic_models[0].features.map(({ properties }: { properties: object }) => properties);
  const depths = Math.max(...topics.map(({ depth }: { depth: number }) => depth));
  expect(depths).toBeGreaterThan(1);
  expect(new Set(topics.map((each: { topic_short_description: string }) => each.topic_short_description)).size).toBe(topics.length);
  for (const each of topics) {
    // `number` stands in every text.
    expect(`${each.topic_short_description} ${each.topic_description}`).not.toMatch(/number/i);
    expect(each[`_topic_depth_${each.depth}`]).toBe(each.topic_short_description);
    for (let below = each.depth + 1; below <= depths; below += 1) expect(each[`_topic_depth_${below}`]).toBeNull();
  }
  for (const { geometry } of topic_models[0].features) for (const at of geometry.coordinates) expect(Math.abs(at)).toBeLessThanOrEqual(1);
  const rows = await sidecarOfRoot(world.api, project_id, map, '_topics');
  expect(rows).toHaveLength(90);
  const byId = new Map<number, { depth: number; points: number }>(topics.map((each: { topic: number }) => [each.topic, each]));
  for (const row of rows)
    for (let depth = 1; depth <= depths; depth += 1) expect(byId.get(row[`_topic_depth_${depth}_int`] as number)!.depth).toBe(depth);
  const counted = topics.map(
    (each: { topic: number; depth: number }) => rows.filter((row) => row[`_topic_depth_${each.depth}_int`] === each.topic).length,
  );
  expect(counted).toEqual(topics.map(({ points }: { points: number }) => points));
});

test('topics stay with an update, take later points in, and are made anew where that is asked for', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 60);
  const map = await mapOf(world, project_id, { ...topical, ...deduplicated });
  const namesOf = async () =>
    (await infoOf(world, project_id, map)).topic_models[0].features.map(({ properties }: any) => properties.topic_short_description);
  const settled = async (): Promise<void> => {
    while ((await world.api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock) await pause(5);
  };
  const before = await namesOf();
  await addRows(world.api, project_id, 60, { from: 60 });
  await world.api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-0'] });
  await world.api.post('/v1/project/update_indices', { project_id, rebuild_topic_models: false });
  await settled();
  expect(await namesOf()).toEqual(before);
  expect(await sidecarOfRoot(world.api, project_id, map, '_topics')).toHaveLength(119);
  expect(await sidecarOfRoot(world.api, project_id, map, '_duplicates')).toHaveLength(119);
  await world.api.post('/v1/project/update_indices', { project_id, rebuild_topic_models: true });
  await settled();
  expect((await namesOf()).length).toBeGreaterThan(before.length);
  expect(await sidecarOfRoot(world.api, project_id, map, '_topics')).toHaveLength(119);
});

test('duplicates of a map are tagged by the cutoff that was ordered, and one of each group is kept when others go', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const rows = Array.from({ length: 30 }, (_, at) => numbersOf(`vector ${at < 6 ? at % 2 : at}`, 8));
  const file = arrowFile(
    { project_id },
    {
      id: { type: new Utf8(), values: rows.map((_, at) => `p${at}`) },
      _embeddings: { type: new FixedSizeList(8, new Field('item', new Float32(), true)), values: rows },
    },
  );
  expect((await world.api.post('/v1/project/data/add/arrow', file)).status).toBe(200);
  const map = await mapOf(world, project_id, { indexed_field: null, model: null, ...deduplicated });
  const seen = async () => {
    const [classes, ids] = [
      await sidecarOfRoot(world.api, project_id, map, '_duplicates'),
      await sidecarOfRoot(world.api, project_id, map, 'datum_id'),
    ];
    return new Map(ids.map(({ id }, at) => [id as string, classes[at]!]));
  };
  const first = await seen();
  const ofClass = (of: typeof first, name: string) => [...of].flatMap(([id, row]) => (row['_duplicate_class_0'] === name ? [id] : []));
  expect(ofClass(first, 'retention candidate').toSorted()).toEqual(['p0', 'p1']);
  expect(ofClass(first, 'deletion candidate').toSorted()).toEqual(['p2', 'p3', 'p4', 'p5']);
  expect(first.get('p2')!['_cluster_0']).toBe(first.get('p0')!['_cluster_0']);
  expect((await infoOf(world, project_id, map)).topic_models).toEqual([]);
  await world.api.post('/v1/project/data/delete', { project_id, datum_ids: ['p0', 'p3', 'p5'] });
  await mapOf(world, project_id, { index_name: 'other', indexed_field: null, model: null });
  const second = await seen();
  expect(ofClass(second, 'retention candidate')).toEqual(['p2']);
  expect(ofClass(second, 'deletion candidate')).toEqual(['p4']);
});

test('options that cannot be obeyed are refused with the field and the option', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 30);
  const refusal = async (more: object): Promise<string> => {
    const { status, body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, more));
    return `${status} ${body.detail?.[0]?.loc?.join('.')} ${body.detail?.[0]?.msg}`;
  };
  const plain = { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' };
  expect(await refusal({ modality: 'embedding' })).toMatch(/^422 body.modality "embedding" is not what this order is of, which is "text"/);
  expect(await refusal({ modality: 'sound' })).toMatch(/^422 body.modality "sound"/);
  expect(await refusal({ ...plain, modality: 'sound' })).toMatch(/^422 body.modality "sound"/);
  expect(await refusal({ topic_model_hyperparameters: '{"build_topic_model":true,"community_description_target_field":"year"}' })).toMatch(
    /^422 body.topic_model_hyperparameters "year" holds int32 values/,
  );
  expect(await refusal({ nearest_neighbor_index: 'FlatIndex' })).toMatch(/^422 body.nearest_neighbor_index "FlatIndex"/);
  expect(await refusal({ projection: 'TSNE' })).toMatch(/^422 body.projection "TSNE"/);
  expect(await refusal({ projection_hyperparameters: '{"model":"svc-project-v2"}' })).toMatch(
    /^422 body.projection_hyperparameters model: /,
  );
  expect(await refusal({ projection_hyperparameters: '{"rho":0.6}' })).toMatch(/^422 body.projection_hyperparameters rho: /);
  expect(await refusal({ projection_hyperparameters: '{"n_neighbors":1}' })).toMatch(/^422 body.projection_hyperparameters n_neighbors: /);
  expect(await refusal({ projection_hyperparameters: '{"min_dist":2}' })).toMatch(/^422 .* min_dist: is at most/);
  expect(await refusal({ projection_hyperparameters: '{"speed":1}' })).toMatch(/^422 body.projection_hyperparameters .*speed/);
  expect(await refusal({ nearest_neighbor_index_hyperparameters: '{"space":"l3"}' })).toMatch(/^422 .*space: /);
  expect(await refusal({ model_hyperparameters: '{"norm":"none"}' })).toMatch(/^422 body.model_hyperparameters norm: /);
  expect(await refusal({ topic_model_hyperparameters: '{"topics":3}' })).toMatch(/^422 body.topic_model_hyperparameters .*topics/);
  expect(await refusal({ duplicate_detection_hyperparameters: '{"tag_duplicates":true,"duplicate_cutoff":3}' })).toMatch(
    /^422 .*duplicate_cutoff: /,
  );
  expect(await refusal({ ...plain, projection_hyperparameters: '{"model":"random","spread":1}' })).toMatch(
    /^422 .* spread: places at random/,
  );
  expect(await refusal({ ...plain, ...topical })).toMatch(/^422 body.topic_model_hyperparameters made of vectors/);
  expect(await refusal({ ...plain, ...deduplicated })).toMatch(/^422 body.duplicate_detection_hyperparameters made of vectors/);
});
