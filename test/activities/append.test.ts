import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../text/json.ts';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepOptions, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  // The service counts at once: what is not right at the first look never will be.
  world = await createStepWorld([], { lagMs: 300 });
});
afterAll(() => world[Symbol.asyncDispose]());

type Row = { key: string; n: number };
const rowsOf = (count: number, from = 0): Row[] => Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, n: from + at }));

let projects = 0;
/** A dataset of its own, with rows. */
async function dataset(rows: Row[] = []) {
  const { project_id } = await createProject(world, `rows-${(projects += 1)}`, { unique_id_field: 'key' });
  const append = async (table: Row[], more: object = {}, options: StepOptions = {}) =>
    world
      .newRun()
      .step('dataset.append', { dataset: project_id, source: await world.table(table), id: { column: 'key' }, ...more }, options);
  if (rows.length > 0) await append(rows);
  const held = async (ids: string[]): Promise<(number | undefined)[]> =>
    (await world.api.post('/v1/project/data/get', { project_id, datum_ids: ids })).body.datums.map(({ n }: Row) => n);
  return { project_id, append, held };
}

test('known rows are found whatever their number and place, and the new ones among them are sent', async () => {
  const rows = rowsOf(2_500);
  const { append } = await dataset(rows.filter(({ n }) => ![998, 999, 1_000, 1_999, 2_499].includes(n)));
  expect((await append(rows)).output).toMatchObject({ rows: 2_500, added: 5, present: 2_495, changed: 0, rejected: 0 });
  expect((await append(rows)).output).toMatchObject({ added: 0, present: 2_500 });
});

test('an id is as long as it has characters: 36 emoji are sent, by shards and as a file, and 37 are rejected', async () => {
  for (const use of ['dataset.append', 'dataset.upload']) {
    const { project_id, held } = await dataset();
    const ids = [36, 37].map((count) => '\u{1F44D}'.repeat(count));
    const source = await world.table(ids.map((key, n) => ({ key, n })));
    const { output } = await world
      .newRun()
      .step(use, { dataset: project_id, source, id: { column: 'key' } }, { tolerate: { rejected: { count: 1 } } });
    expect([output.added, output.rejected]).toEqual([1, 1]);
    expect(await held([ids[0]!])).toEqual([0]);
  }
});

test.each([
  ['dataset.append', 'a JSON file'],
  ['dataset.upload', 'a JSON file'],
  ['dataset.upload', 'an Arrow file that is sent as it is'],
])('a byte order mark before an id or a text is a part of it, from the file to the service and back: %s of %s', async (use, as) => {
  const rows = [
    { key: 'a', t: 'ü' },
    { key: '\uFEFFa', t: '\uFEFFü' },
    { key: '\uFEFF\uFEFFa', t: '\uFEFF\uFEFF' },
    { key: 'ä', t: 'plain' },
    { key: '\uFEFFä', t: '' },
  ];
  const { project_id } = await createProject(world, `rows-${(projects += 1)}`, { unique_id_field: 'key' });
  const source = as === 'a JSON file' ? await world.table(rows) : join(world.dir, 'marks.arrow');
  if (as !== 'a JSON file') {
    const columns = Object.fromEntries(
      (['key', 't'] as const).map((name) => [
        name,
        vectorFromArray(
          rows.map((row) => row[name]),
          new Utf8(),
        ),
      ]),
    );
    await writeFile(source, tableToIPC(new Table(columns), 'file'));
  }
  const run = world.newRun();
  const { output } = await run.step(use, { dataset: project_id, source, id: { column: 'key' } });
  expect(output).toMatchObject({ rows: 5, added: 5 });
  const ids = rows.map(({ key }) => key);
  const { datums } = (await world.api.post('/v1/project/data/get', { project_id, datum_ids: ids })).body;
  expect(datums).toEqual(rows.map(({ key, t }) => ({ key, t: t === '' ? 'null' : t })));
  const again = world.newRun();
  expect((await again.step('dataset.append', { dataset: project_id, source, id: { column: 'key' } })).output).toMatchObject({
    added: 0,
    present: 5,
    changed: 0,
  });
  expect((await again.store.readItems({ status: 'present' })).map(({ item }) => item).toSorted()).toEqual(ids.toSorted());
});

test('a query that gives no row adds none, whatever the dataset holds; a file without rows is refused', async () => {
  for (const there of [rowsOf(4), []]) {
    const { project_id, append } = await dataset(there);
    const tables = { t: await world.table(rowsOf(4)) };
    for (const use of ['dataset.append', 'dataset.load']) {
      const source = { sql: 'select key, n from t where n > 100', tables };
      const { value, calls } = await world.callsOf(() => world.newRun().step(use, { dataset: project_id, source, id: { column: 'key' } }));
      expect(value.output).toMatchObject({ rows: 0, added: 0, present: 0, rejected: 0 });
      expect(calls).not.toContain('maps.data.addArrow');
      expect(calls).not.toContain('maps.uploads.start');
    }
    await expect(append([])).rejects.toThrow('has no rows');
  }
});

test('a read that is refused says nothing of the rows: nothing is sent', async () => {
  const { append, project_id } = await dataset(rowsOf(4));
  await world.control.fault('maps.data.get', 1, { status: 403 });
  await expect(append(rowsOf(6))).rejects.toThrow('maps.data.get answered 403');
  const { rows } = await world.control.journal(project_id);
  expect(rows.filter(({ operation }) => operation === 'maps.data.addArrow')).toHaveLength(1);
});

test('a changed row is reported and not sent, or replaced where that is asked for and approved', async () => {
  const { append, held } = await dataset(rowsOf(1_002));
  const rows = rowsOf(1_002).map((row) => ([0, 999, 1_001].includes(row.n) ? { ...row, n: -row.n - 1 } : row));
  expect((await append(rows)).output).toMatchObject({ added: 0, present: 999, changed: 3, replaced: 0 });
  expect(await held(['k999'])).toEqual([999]);
  await expect(append(rows, { onChange: 'replace' })).rejects.toMatchObject({ type: 'NeedsApproval' });
  expect(await held(['k999'])).toEqual([999]);
  expect((await append(rows, { onChange: 'replace' }, { approved: true })).output).toMatchObject({
    added: 0,
    present: 999,
    changed: 0,
    replaced: 3,
  });
});

test('replaced rows have their fates beside those of the others', async () => {
  const { project_id } = await dataset(rowsOf(4));
  const run = world.newRun();
  const source = await world.table(rowsOf(4).map((row) => (row.n === 2 ? { ...row, n: 99 } : row)));
  const input = { dataset: project_id, source, id: { column: 'key' }, onChange: 'replace' };
  await run.step('dataset.append', input, { approved: true });
  expect((await run.store.countItems()).map(({ status, count }) => [status, count])).toEqual([
    ['present', 3],
    ['replaced', 1],
  ]);
});

test('ids that stand in two rows are refused before anything is sent', async () => {
  const { append } = await dataset();
  const { value, calls } = await world.callsOf(() => append([...rowsOf(3), ...rowsOf(1)]).catch((error: Error) => error.message));
  expect(value).toContain('1 id of');
  expect(calls).not.toContain('maps.data.addArrow');
});

test('no call has more rows than the connection names', async () => {
  await using small = await createStepWorld([], { batch: { rows: 7 } });
  const { project_id } = await createProject(small, 'small', { unique_id_field: 'key' });
  const source = await small.table(rowsOf(20));
  const { calls } = await small.callsOf(() =>
    small.newRun().step('dataset.append', { dataset: project_id, source, id: { column: 'key' } }),
  );
  expect(calls.filter((operation) => operation === 'maps.data.addArrow')).toHaveLength(3);
});

test('the rows of a chunk whose answer was lost are its own: they count as added', async () => {
  const { append, project_id } = await dataset(rowsOf(5));
  await world.control.fault('maps.data.addArrow', 1, { lose: 'answer' });
  const { output, attempts } = await append(rowsOf(15));
  expect(output).toMatchObject({ added: 10, present: 5 });
  expect(attempts).toBe(4);
  expect((await world.control.journal(project_id)).summary.repeated).toBe(0);
});

test.each(['skipped', 'refused', 'replaced'] as const)('also where known ids are %s, and whatever words stand in them', async (reading) => {
  const { append, held, project_id } = await dataset();
  const rows = (count: number): Row[] => rowsOf(count).map((row) => ({ ...row, key: `lock-${row.n}` }));
  await world.control.assume({ 'known-ids': reading });
  for (const [count, added] of [
    [5, 5],
    [15, 10],
  ] as const) {
    await world.control.fault('maps.data.addArrow', 1, { lose: 'answer' });
    expect((await append(rows(count))).output).toMatchObject({ added, present: count - added });
  }
  expect(await held(['lock-0', 'lock-14'])).toEqual([0, 14]);
  await world.control.assume();
  expect((await world.control.journal(project_id)).summary.repeated).toBe(0);
});

test.each([
  ['that is refused is not sent again', { status: 400 }, 1],
  ['that the service finds too large is halved at once', { status: 413 }, 3],
])('an addition of a chunk %s', async (_, refusal, sent) => {
  const { append } = await dataset();
  await world.control.fault('maps.data.addArrow', 1, refusal);
  const { value, calls } = await world.callsOf(() => append(rowsOf(10)).catch((error: unknown) => error));
  expect(calls.filter((operation) => operation === 'maps.data.addArrow')).toHaveLength(sent);
  expect(value).toMatchObject(sent === 1 ? { type: 'ApiError', nonRetryable: true } : { output: { added: 10 } });
});

test('a row that something else put under an id since it was compared is noticed where the service refuses it', async () => {
  const { project_id, append } = await dataset(rowsOf(5));
  const run = world.newRun();
  const args = run.argsOf('dataset.append', { dataset: project_id, source: await world.table(rowsOf(8)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  await world.control.assume({ 'known-ids': 'refused' });
  const { id } = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
  const chunk = run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 }).catch((error: unknown) => error);
  await world.control.held(id);
  await append([{ key: 'k6', n: 600 }]);
  await world.control.release(id);
  expect(await chunk).toMatchObject({ type: 'Inconclusive', message: expect.stringContaining('no row of id "k6"') });
  await world.control.assume();
});

test('a row whose deletion is not committed is not reported as present: it would go with the next update', async () => {
  const { append, held, project_id } = await dataset(rowsOf(30));
  const remove = async (...ids: string[]) => {
    const run = world.newRun();
    const points = await run.store.writeIds('old', [ids]);
    await run.step('data.delete', { dataset: project_id, points }, { approved: true });
  };
  await remove('k1', 'k2');
  expect((await append([...rowsOf(1), ...rowsOf(5, 100)])).output).toMatchObject({ added: 5, present: 1 });
  const refusal = { type: 'ReadingUnknown', message: expect.stringMatching(/shows id "k[12]" of the source.* index\.update/) };
  await expect(append(rowsOf(3))).rejects.toMatchObject(refusal);
  await expect(append([{ key: 'k1', n: 7 }])).rejects.toMatchObject(refusal);
  await expect(append(rowsOf(3), { onChange: 'replace' })).rejects.toMatchObject(refusal);
  await world.newRun().step('index.build', { dataset: project_id });
  expect((await append(rowsOf(3))).output).toMatchObject({ added: 2, present: 1 });
  await world.newRun().step('index.update', { dataset: project_id });
  expect(await held(['k0', 'k1', 'k2', 'k100'])).toEqual([0, 1, 2, 100]);
});

/** A step that deletes a row, by its activities. */
async function deleter(dataset: string, key: string) {
  const run = world.newRun();
  const args = run.argsOf('data.delete', { dataset, points: await run.store.writeIds('old', [[key]]) }, { approved: true });
  const prepare = () => run.attempt('data.delete', 'prepare', args);
  const send = (state: Json) => run.attempt('data.delete', 'main', { ...args, state, chunk: 0 });
  return { prepare, send };
}

test('what a run deletes while others delete too is not reported as present, whichever of them notes it first', async () => {
  const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
  const { append, project_id } = await dataset(rowsOf(30));
  const [first, ...others] = await Promise.all(keys.map((key) => deleter(project_id, key)));
  const state = await first!.prepare();
  // The first one has begun to note its deletion, and looks its row up.
  const { id } = await world.control.fault('maps.data.get', 1, { hold: 'before' });
  const sent = first!.send(state.state);
  expect(await world.control.held(id)).toBe(true);
  const states = await Promise.all(others.map(({ prepare }) => prepare()));
  await Promise.all(others.map(({ send }, at) => send(states[at].state)));
  await world.control.release(id);
  await sent;
  for (const key of keys)
    await expect(append([{ key, n: Number(key.slice(1)) }])).rejects.toMatchObject({
      type: 'ReadingUnknown',
      message: expect.stringContaining(key),
    });
});

test('a row that was deleted behind an update is not reported as present when that has ended: the next one takes it', async () => {
  // Nothing is ordered a second time, and nothing but what the store knows says that another update is needed.
  await using slow = await createStepWorld([], { settleMs: 600_000 });
  await slow.control.assume({ 'deletion-version': 'never' });
  const { project_id } = await createProject(slow, 'behind', { unique_id_field: 'key' });
  const append = async (rows: Row[]) =>
    slow.newRun().step('dataset.append', { dataset: project_id, source: await slow.table(rows), id: { column: 'key' } });
  await append(rowsOf(30));
  await slow.newRun().step('index.build', { dataset: project_id });
  const remove = async (key: string): Promise<void> => {
    const points = await slow.newRun().store.writeIds('old', [[key]]);
    await slow.newRun().step('data.delete', { dataset: project_id, points }, { approved: true });
  };
  await remove('k1');
  const run = slow.newRun();
  const args = run.argsOf('index.update', { dataset: project_id });
  const { token } = await run.attempt('index.update', 'main', args);
  const isThere = async (): Promise<boolean> =>
    (await slow.api.post('/v1/project/data/get', { project_id, datum_ids: ['k1'] })).status === 200;
  await expect.poll(isThere).toBe(false);
  await remove('k2');
  const check = () => run.attempt('index.update', 'check', { ...args, token }).catch(() => undefined);
  await expect.poll(check).toMatchObject({ done: true });
  await expect(append([{ key: 'k2', n: 2 }])).rejects.toMatchObject({ type: 'ReadingUnknown' });
  await slow.newRun().step('index.update', { dataset: project_id });
  expect((await append([{ key: 'k2', n: 2 }])).output).toMatchObject({ added: 1 });
  expect((await append([{ key: 'k2', n: 2 }])).output).toMatchObject({ added: 0, present: 1 });
});

test('a deletion of rows that were gone before is committed by an update that nothing shows, in a dataset without maps too', async () => {
  const { append, project_id } = await dataset(rowsOf(5));
  const run = world.newRun();
  const points = await run.store.writeIds('old', [['nobody']]);
  await run.step('data.delete', { dataset: project_id, points }, { approved: true });
  await run.step('index.update', { dataset: project_id });
  await append([{ key: 'nobody', n: 1 }]);
  expect((await append([{ key: 'nobody', n: 1 }])).output).toMatchObject({ added: 0, present: 1 });
});

test('rows that something else added meanwhile are noticed', async () => {
  const { project_id, append } = await dataset(rowsOf(5));
  const run = world.newRun();
  const args = run.argsOf('dataset.append', { dataset: project_id, source: await world.table(rowsOf(3, 5)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  await append(rowsOf(2, 100));
  await expect(run.attempt('dataset.append', 'finish', { ...args, state, counts })).rejects.toMatchObject({
    type: 'Inconclusive',
    message: expect.stringContaining('the service counts 10 rows; 5 before and 3 added make 8'),
  });
});

test('a chunk that counts other rows than the source has is noticed', async () => {
  const { project_id } = await dataset();
  const run = world.newRun();
  const args = run.argsOf('dataset.append', { dataset: project_id, source: await world.table(rowsOf(3)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  await expect(run.attempt('dataset.append', 'finish', { ...args, state, counts: { added: 2 } })).rejects.toThrow(
    'the source has 3 rows, but 2 are accounted for',
  );
});

test('every row has its fate in the ledger, with the request that decided it', async () => {
  const { project_id } = await dataset(rowsOf(4));
  const run = world.newRun();
  const rows = [...rowsOf(3), { key: 'k3', n: 99 }, { key: 'k4', n: 4 }, { key: 'x'.repeat(37), n: 5 }];
  await run.step(
    'dataset.append',
    { dataset: project_id, source: await world.table(rows), id: { column: 'key' } },
    { tolerate: { rejected: { count: 1 } } },
  );
  expect((await run.store.countItems()).map(({ status, count }) => [status, count])).toEqual([
    ['added', 1],
    ['changed', 1],
    ['present', 3],
    ['rejected', 1],
  ]);
  expect(await run.store.readItems({ status: 'added' })).toMatchObject([{ item: 'k4', attempts: 1, request_id: expect.any(String) }]);
});

test('more rejected rows than are tolerated fail the step', async () => {
  const { project_id } = await dataset();
  const rows = [...rowsOf(8), { key: 'x'.repeat(37), n: 8 }, { key: 'y'.repeat(37), n: 9 }];
  const source = await world.table(rows);
  const step = (tolerate?: object) =>
    world
      .newRun()
      .step('dataset.append', { dataset: project_id, source, id: { column: 'key' } }, tolerate ? { tolerate: { rejected: tolerate } } : {});
  await expect(step()).rejects.toThrow('2 of 10 items rejected');
  await expect(step({ count: 1 })).rejects.toThrow('2 of 10 items rejected (20.0 %, tolerated 1)');
  await expect(step({ share: 0.19 })).rejects.toThrow('tolerated 19.0 %');
  expect((await step({ share: 0.2 })).output).toMatchObject({ added: 8, rejected: 2 });
});

test('each of many rows that are refused is in the ledger, with its place, and the first of them in the refusal', async () => {
  const { project_id } = await dataset();
  const run = world.newRun();
  const rows = Array.from({ length: 10_001 }, (_, at) => ({ key: `k${at}`.padEnd(37, 'x'), n: at }));
  const failed = run.step('dataset.append', { dataset: project_id, source: await world.table(rows), id: { column: 'key' } });
  await expect(failed).rejects.toThrow(/10,?001 of 10,?001 .*row 1: /);
  expect((await run.store.countItems()).map(({ status, count }) => [status, count])).toEqual([['rejected', 10_001]]);
});
