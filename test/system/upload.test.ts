import { appendFile, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { writeArrowRows } from '../support/arrow-rows.ts';
import { uploadFiles } from '../../activities/dataset/upload-files.ts';
import { partsInFlight } from '../../pipelines/steps/dataset/part-plan.ts';
import { moviesOf, newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const load = (use: string, id = '{ column: id }', idField = 'id'): string => `
name: load
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: ${idField} } }
  rows: { use: ${use}, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: ${id} } }
outputs: { dataset: "\${{ steps.dataset.id }}", rows: "\${{ steps.rows }}" }
`;

const textBytes = 9_500;
/** Rows of a file of three parts, and of five. */
const [rows, parts] = [4_000, 3];
const [moreRows, moreParts] = [8_000, 5];
let big: string;
let bigger: string;
beforeAll(async () => {
  big = join(world.dir, 'big.arrow');
  bigger = join(world.dir, 'bigger.arrow');
  await writeArrowRows(big, { rows, textBytes });
  await writeArrowRows(bigger, { rows: moreRows, textBytes });
});

/** PUTs of parts from now on. */
async function partsSince() {
  const all = async () => (await world.control.requests()).rows.filter(({ operation }) => operation === 'maps.uploads.part');
  const before = (await all()).length;
  return async () => (await all()).slice(before);
}
type PartRows = Awaited<ReturnType<Awaited<ReturnType<typeof partsSince>>>>;
const acknowledged = (all: PartRows): string[] => all.filter(({ status }) => status === 200).map(({ path }) => path);

const notes = async (run: string): Promise<string[]> =>
  (await world.store(run).events()).filter(({ kind }) => kind === 'note').map(({ cause }) => cause);
const count = async (dataset: string): Promise<number> => (await world.api.projects.get({ project_id: dataset })).total_datums_in_project;
const upload = () => world.run(load('dataset.upload'), { source: big, dataset: newSlug('up') });
const sent = { state: 'done', outputs: { rows: { rows, added: rows, present: 0, rejected: 0, parts } } };

test('an Arrow file that breaks no rule is sent as it stands, each part once', async () => {
  const since = await partsSince();
  const { value, effects } = await world.effectsOf(upload);
  expect(value.result).toMatchObject(sent);
  expect(effects.filter(({ operation }) => operation === 'maps.uploads.complete')).toMatchObject([{ changed: rows }]);
  expect(await count(value.result.outputs['dataset'])).toBe(rows);
  expect(new Set(acknowledged(await since())).size).toBe(parts);
  expect(await since()).toHaveLength(parts);
  expect(await world.store(value.result.run).countItems()).toEqual([{ step: 'rows', status: 'added', count: rows }]);
  expect(await notes(value.result.run)).toEqual([
    expect.stringMatching(/big\.arrow is sent as it is$/),
    expect.stringMatching(/^upload .* of 3 parts begun$/),
  ]);
});

test('any other source is converted, and leaves the same rows and rejects as append', async () => {
  const source = await world.write('movies.json', [...moviesOf(300), { Title: 'too much', 'US Gross': 2 ** 40 }]);
  const tolerant = (use: string): string =>
    load(use, '{ row: true }').replace('{ row: true } }', '{ row: true } }, tolerate: { rejected: 1% }');
  const made = { append: newSlug('append'), upload: newSlug('upload') };
  const appended = await world.run(tolerant('dataset.append'), { source, dataset: made.append });
  const uploaded = await world.run(tolerant('dataset.upload'), { source, dataset: made.upload });
  expect(uploaded.result).toMatchObject({ state: 'done', outputs: { rows: { rows: 301, added: 300, rejected: 1, parts: 1 } } });
  expect((await notes(uploaded.result.run))[0]).toMatch(/converted to one Arrow file: it is no Arrow file$/);
  const ledger = async ({ result }: typeof appended) =>
    (await world.store(result.run).readItems({ step: 'rows' })).map(({ item, status, reason }) => `${item} ${status} ${reason}`).toSorted();
  expect(await ledger(uploaded)).toEqual(await ledger(appended));
  const ids = (await world.store(uploaded.result.run).readItems({ status: 'added' })).map(({ item }) => item);
  const rowsOf = async ({ result }: typeof appended) =>
    (await world.api.data.get({ project_id: result.outputs['dataset'], datum_ids: ids })).datums;
  expect(await rowsOf(uploaded)).toEqual(await rowsOf(appended));
  // Once more, into a dataset that has them: nothing changes, and the output says so.
  const again = await world.run(tolerant('dataset.upload'), { source, dataset: made.upload });
  expect(again.result).toMatchObject({ state: 'done', outputs: { rows: { added: 0, present: 300 } } });
});

test('after a kill of the worker the same upload goes on, and no acknowledged part is sent again', async () => {
  const since = await partsSince();
  const { id } = await world.control.fault('maps.uploads.part', moreParts, { hold: 'before' });
  const run = await world.start(load('dataset.upload'), { source: bigger, dataset: newSlug('killed') });
  expect(await world.control.held(id)).toBe(true);
  // What the worker has not written down yet it sends again.
  const files = uploadFiles({ store: world.store(run), step: 'rows' });
  await expect.poll(async () => (await files.sent(1)).size).toBe(moreParts - 1);
  const before = acknowledged(await since());
  await world.worker.kill();
  await Promise.all([world.worker.start(0), world.control.release(id)]);
  expect((await world.ended(run)).view).toMatchObject({ state: 'done' });
  const after = await since();
  expect(before).toHaveLength(moreParts - 1);
  expect(new Set(acknowledged(after)).size).toBe(moreParts);
  expect(before.filter((path) => after.filter((row) => row.path === path).length > 1)).toEqual([]);
  expect((await notes(run)).filter((cause) => cause.includes('begun'))).toHaveLength(1);
});

test('expired URLs are no question of rights: a new upload gets every part', async () => {
  await world.control.fault('maps.uploads.part', 3, { expired: true });
  const since = await partsSince();
  const { result } = await upload();
  expect(result).toMatchObject(sent);
  const all = await since();
  const uploads = [...new Set(all.map(({ path }) => path.split('/')[2]!))];
  expect(uploads).toHaveLength(2);
  expect(acknowledged(all).filter((path) => path.includes(uploads[1]!))).toHaveLength(parts);
  expect(await notes(result.run)).toContainEqual(
    expect.stringMatching(/^the part URLs expired: upload .* begun anew, all 3 parts are sent again/),
  );
});

test('URLs that expire again and again end the run with advice', async () => {
  await world.control.partUrlSeconds(0.001);
  const { result } = await upload().finally(() => world.control.partUrlSeconds(3_600));
  expect(result).toMatchObject({ state: 'failed', error: { type: 'ServiceFailed', step: 'rows' } });
  expect(result.error!.message).toMatch(/^the part URLs expired in 3 uploads .* Split the data .* or use dataset\.append$/);
  expect(await notes(result.run)).toContainEqual(expect.stringMatching(/is left behind with 0 of 3 parts/));
});

test('a source that changes while it is sent is refused, and nothing of it is added', async () => {
  const source = join(world.dir, 'changing.arrow');
  await copyFile(big, source);
  const { id } = await world.control.fault('maps.uploads.part', 1, { hold: 'before' }, 2);
  const dataset = newSlug('changing');
  const run = await world.start(load('dataset.upload'), { source, dataset });
  expect(await world.control.held(id)).toBe(true);
  await appendFile(source, 'more');
  await world.control.release(id);
  const { view } = await world.ended(run);
  expect(view).toMatchObject({ state: 'failed', error: { type: 'BadInput' } });
  expect(view.error!.message).toMatch(/changing\.arrow changed while it was sent/);
  expect(await count((view.steps[0]!.output as { id: string }).id)).toBe(0);
});

test('a lost answer of the end is looked up, and the rows are there once', async () => {
  await world.control.fault('maps.uploads.complete', 1, { lose: 'answer' });
  const { value, effects } = await world.effectsOf(upload);
  expect(value.result).toMatchObject(sent);
  expect(effects.filter(({ operation }) => operation === 'maps.uploads.complete')).toMatchObject([{ changed: rows }]);
  const looked = (await world.store(value.result.run).events()).filter(({ kind }) => kind === 'reconcile').map(({ cause }) => cause);
  expect(looked).toContain('looked up: the effect was there, nothing sent again');
});

test.each([
  ['503 with Retry-After', { status: 503, retryAfter: 2 }],
  ['a reset in the middle of the body', { reset: 'body' }],
  ['a reset after the effect', { reset: 'after' }],
] as const)('a part that ends in %s is sent again alone, and not before its time', async (_, action) => {
  const since = await partsSince();
  await world.control.fault('maps.uploads.part', 2, action);
  const { result } = await upload();
  expect(result).toMatchObject(sent);
  expect(await since()).toHaveLength(parts + 1);
  expect((await world.control.requests()).summary).toMatchObject({ early_same_call: 0, early_same_process: 0 });
});

test('after a cancellation no part leaves any more, and the upload that stays behind is reported', async () => {
  const since = await partsSince();
  const { id } = await world.control.fault('maps.uploads.part', 1, { hold: 'before' }, partsInFlight);
  const run = await world.start(load('dataset.upload'), { source: bigger, dataset: newSlug('cancelled') });
  const held = async () => (await world.control.faults()).find((fault) => fault.id === id)?.fired;
  await expect.poll(held).toBe(partsInFlight);
  expect((await world.portolan(['cancel', run])).code).toBe(0);
  const { view } = await world.ended(run);
  expect(view.state).toBe('cancelled');
  await expect.poll(() => notes(run)).toContainEqual(expect.stringMatching(/is left behind with 0 of 5 parts/));
  await world.control.release(id);
  // What was in flight may arrive; nothing is sent after it.
  await expect.poll(since).toHaveLength(partsInFlight);
});

test('an upload goes on where a worker ends in the middle of it, and nobody says that it stays behind', async () => {
  const { id } = await world.control.fault('maps.uploads.part', 1, { hold: 'before' });
  const run = await world.start(load('dataset.upload'), { source: big, dataset: newSlug('deployed') });
  expect(await world.control.held(id)).toBe(true);
  // It ends by itself, when its grace is over: a kill before that would leave nothing to say.
  await world.worker.stop(0, 120_000);
  await world.control.release(id);
  await world.worker.start(0);
  expect((await world.ended(run)).view.state).toBe('done');
  expect(await notes(run)).not.toContainEqual(expect.stringContaining('left behind'));
});

test('load appends a small table and uploads one of many rows, and says why', async () => {
  const small = await world.write('small.json', moviesOf(50));
  const { result: few } = await world.run(load('dataset.load', '{ row: true }', 'id_'), { source: small, dataset: newSlug('load') });
  expect(few).toMatchObject({
    state: 'done',
    outputs: { rows: { way: 'append', because: expect.stringMatching(/50 rows are 1 call/), added: 50, changed: 0 } },
  });
  const many = join(world.dir, 'many.arrow');
  await writeArrowRows(many, { rows: 200_001, textBytes: 8 });
  const { result, err } = await world.run(load('dataset.load'), { source: many, dataset: newSlug('load') });
  expect(err).toBe('');
  expect(result).toMatchObject({
    state: 'done',
    outputs: { rows: { way: 'upload', because: '21 calls of append against about 1 part of one file', added: 200_001, parts: 1 } },
  });
  expect(await notes(result.run)).toContain('upload: 21 calls of append against about 1 part of one file');
});
