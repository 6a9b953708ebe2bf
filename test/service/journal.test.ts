import { Utf8 } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOfIds, journalRow, summarize } from '../../service/core/journal.ts';
import { addRows, arrowFile, createProject, createWorld } from './world.ts';

type Sent = { subject: string; act: string; content: number; changed: number };

const rows = (sent: Sent[]) =>
  sent.map(({ changed, ...entry }, at) => ({ seq: at, ...journalRow({ requestId: String(at), operation: 'op', ...entry }, at, changed) }));
const sent = fc.record({
  subject: fc.constantFrom('a', 'b'),
  act: fc.constantFrom('add', 'remove'),
  content: fc.integer({ min: 0, max: 3 }),
  changed: fc.nat({ max: 2 }),
});

/** The rule read literally: an earlier row of the same intent, and between them no other act on the subject. Both changed something. */
const repeats = (list: Sent[]): number => {
  const effects = list.filter(({ changed }) => changed > 0);
  return effects.filter((row, at) =>
    effects.some(
      (earlier, from) =>
        from < at &&
        earlier.subject === row.subject &&
        earlier.act === row.act &&
        earlier.content === row.content &&
        !effects.slice(from + 1, at).some((between) => between.subject === row.subject && between.act !== row.act),
    ),
  ).length;
};

test('repeated, harmless and effects are what the rule says', () => {
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 30 }), (list) => {
      const { effects, repeated, harmless } = summarize(rows(list));
      expect({ effects, repeated, harmless }).toEqual({
        effects: list.filter(({ changed }) => changed > 0).length,
        repeated: repeats(list),
        harmless: list.filter(({ changed }) => changed === 0).length,
      });
    }),
  );
});

test('an act is one by whatever operation: rows of a file between two equal shards undo nothing, a removal may', () => {
  const made = (operation: string, act: string) => ({
    ...journalRow({ requestId: '', operation, subject: 's', act, content: operation }, 0, 1),
    seq: 0,
  });
  const shard = made('shard', 'add');
  expect(summarize([shard, made('file', 'add'), shard]).repeated).toBe(1);
  expect(summarize([shard, made('delete', 'remove'), shard]).repeated).toBe(0);
});

test('equal content is one intent, whatever the order of its fields', () => {
  const intent = (content: unknown) => journalRow({ requestId: '', operation: 'op', subject: 's', content }, 0, 1).intent;
  expect(intent({ a: 1, b: { c: 2, d: 3 } })).toBe(intent({ b: { d: 3, c: 2 }, a: 1 }));
  expect(intent({ a: [1, 2] })).not.toBe(intent({ a: [2, 1] }));
});

test('a list of ids is one intent, whatever its order', () => {
  expect(hashOfIds(['b', 'a', 'c'])).toBe(hashOfIds(['c', 'b', 'a']));
  expect(hashOfIds(['a', 'b'])).not.toBe(hashOfIds(['a', 'c']));
});

test('of rows that were added their surplus decides, whatever came between', () => {
  const added = (surplus: number) => ({
    ...journalRow({ requestId: '', operation: 'shard', subject: 's', act: 'add', content: 'rows' }, 0, 1),
    seq: 0,
    surplus,
  });
  const removed = { ...journalRow({ requestId: '', operation: 'delete', subject: 's', act: 'remove', content: 'others' }, 0, 1), seq: 0 };
  expect(summarize([added(0), removed, added(1)]).repeated).toBe(1);
  expect(summarize([added(0), added(0)]).repeated).toBe(0);
});

test('rows that the service gives ids stand twice when they are sent again, also after others were deleted; not when they were deleted themselves', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world, 'auto', { unique_id_field: null });
  const send = (...values: string[]) =>
    world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, { text: { type: new Utf8(), values } }));
  const remove = (...datum_ids: string[]) => world.api.post('/v1/project/data/delete', { project_id, datum_ids });
  const repeated = async (): Promise<number> => (await world.api.get('/__control/journal')).body.summary.repeated;
  // Rows 0 to 2, and row 3.
  await send('a', 'b', 'c');
  await send('d');
  await remove('Aw');
  expect(await repeated()).toBe(0);
  await send('a', 'b', 'c');
  expect(await repeated()).toBe(1);
  // The first three are ordered away, committed or not: the same content stands once.
  await remove('AA', 'AQ', 'Ag');
  await world.api.post('/v1/project/update_indices', { project_id });
  await remove('BA', 'BQ', 'Bg');
  await send('a', 'b', 'c');
  expect(await repeated()).toBe(1);
  // Of the last three one is gone, and three come.
  await remove('Bw');
  await send('a', 'b', 'c');
  expect(await repeated()).toBe(2);
});

test('rows with ids of their own come back after their deletion, and none of them is a repeat', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 4);
  await addRows(world.api, project_id, 8, { from: 2 });
  await world.api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-1', 'row-3'] });
  await addRows(world.api, project_id, 8, { from: 2 });
  await addRows(world.api, project_id, 4);
  const { summary } = (await world.api.get('/__control/journal')).body;
  expect(summary).toEqual({ effects: 6, repeated: 0, harmless: 0 });
});

test('effects on several datasets come in the order of time, whichever store they are kept in', async () => {
  await using world = await createWorld();
  const [one, two] = [await createProject(world, 'one'), await createProject(world, 'two')];
  const turns = [one, one, one, two, one, two];
  for (const [at, { project_id }] of turns.entries()) await addRows(world.api, project_id, 5, { from: 5 * at });
  const { rows } = (await world.api.get('/__control/journal')).body;
  const added = rows.filter(({ operation }: { operation: string }) => operation === 'maps.data.addArrow');
  const times = rows.map(({ at }: { at: number }) => at);
  expect(added.map(({ subject }: { subject: string }) => subject)).toEqual(
    turns.map(({ project_id }) => expect.stringContaining(project_id)),
  );
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
});
