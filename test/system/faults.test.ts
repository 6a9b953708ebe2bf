import { beforeAll, expect, inject, test } from 'vitest';
import { createStack } from '../support/stack.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

let map: string;
let ids: string[];
beforeAll(async () => {
  const { result } = await world.run(
    `
name: base
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
outputs: { map: "\${{ steps.map.id }}" }
`,
    {
      dataset: newSlug('base'),
      source: await world.write(
        'base.json',
        Array.from({ length: 40 }, (_, at) => ({ key: `k${at}`, n: at })),
      ),
    },
  );
  map = result.outputs['map'];
  ids = Array.from({ length: 40 }, (_, at) => `k${at}`);
});

/** Tags a list of ids that was put into the run store. */
const tagging = (tag: string): string => `
name: tagging
params: { map: { type: string }, uri: { type: string }, count: { type: integer } }
steps:
  tag:
    use: points.tag
    with: { map: "\${{ params.map }}", points: { uri: "\${{ params.uri }}", count: "\${{ params.count }}" }, add: ${tag} }
outputs: { tag: "\${{ steps.tag }}" }
`;
const tag = async (name: string, points: string[]) => {
  const list = await world.store('lists').writeIds(name, [points]);
  return world.run(tagging(name), { map, uri: list.uri, count: String(list.count) });
};

test('ids that the map does not have are found and counted apart from those that were tagged', async () => {
  const missing = ['gone-1', 'gone-2', 'gone-3'];
  const { result } = await tag('halving', [
    ...ids.slice(0, 11),
    missing[0]!,
    ...ids.slice(11, 30),
    missing[1]!,
    missing[2]!,
    ...ids.slice(30),
  ]);
  expect(result).toMatchObject({ state: 'done', outputs: { tag: { count: 40, missing: 3 } } });
  const found = await world.store(result.run).readItems({ status: 'missing' });
  expect(found.map(({ item }) => item).toSorted()).toEqual(missing);
  expect(found[0]!.reason).toBe('the dataset has no row with this id');
});

test.each([
  ['seconds', 1],
  ['a date', 'date'],
] as const)('a 429 with Retry-After as %s is a wait that uses up no attempt', async (name, retryAfter) => {
  await world.control.fault('maps.tags.update', 1, { status: 429, retryAfter });
  const { result } = await tag(`later-${name.replace(' ', '-')}`, ids);
  expect(result).toMatchObject({ state: 'done', outputs: { tag: { count: 40 } } });
  const waits = (await world.store(result.run).events()).filter(({ kind }) => kind === 'wait');
  expect(waits).toMatchObject([
    { step: 'tag', operation: 'maps.tags.update', limit: 'maps/tag', ms: expect.any(Number), request_id: expect.any(String) },
  ]);
  expect(new Set((await world.store(result.run).readItems({ step: 'tag' })).map(({ attempts }) => attempts))).toEqual(new Set([1]));
  expect((await world.control.requests()).summary).toMatchObject({ early_same_call: 0, early_same_process: 0 });
});

test('any other refusal fails once, with its request id', async () => {
  await world.control.fault('maps.tags.update', 1, { status: 422 });
  const { value, calls } = await world.callsOf(() => tag('refused', ids));
  expect(calls.filter((operation) => operation === 'maps.tags.update')).toHaveLength(1);
  expect(value).toMatchObject({
    code: 1,
    result: {
      state: 'failed',
      error: { step: 'tag', type: 'ApiError', details: { status: 422, operation: 'maps.tags.update', requestId: expect.any(String) } },
    },
  });
  const { out } = await world.portolan(['why', value.result.run]);
  expect(out).toContain('maps.tags.update');
  expect(out).toContain(value.result.error!.details!.requestId);
});

const call = (operation: string, input: object): string => `
name: call
steps:
  call:
    use: api.call
    with: { operation: ${operation}, input: ${JSON.stringify(input)} }
outputs: { result: "\${{ steps.call.result }}" }
`;

test('in a run that waits, the attempt that comes next is the first', async () => {
  await world.control.fault('maps.embedding.text', 1, { status: 429, retryAfter: 30 });
  const run = await world.start(call('maps.embedding.text', { texts: ['a'], model: 'nomic-embed-text-v1.5' }));
  const { pending } = await world.until(run, (seen) => seen.pending.some((activity) => activity.waiting && activity.lastFailure));
  expect(pending).toMatchObject([{ step: 'call', attempt: 1, lastFailure: { type: 'RateLimited' } }]);
  await world.portolan(['cancel', run]);
  await world.ended(run);
});

test('api.call of a safe operation is sent again when its answer is lost', async () => {
  await world.control.fault('maps.projects.list', 1, { lose: 'answer' });
  const { value, calls } = await world.callsOf(() => world.run(call('maps.projects.list', {})));
  expect(value.result).toMatchObject({ state: 'done', outputs: { result: { projects: expect.any(Array) } } });
  // The first is the command's own look at the key.
  expect(calls).toEqual(['maps.user.get', 'maps.projects.list', 'maps.projects.list']);
});

test('an answer that breaks off in the middle is no answer, and one that comes slowly is one', async () => {
  await world.control.fault('maps.projects.list', 1, { truncate: 'body' });
  const broken = await world.callsOf(() => world.run(call('maps.projects.list', {})));
  expect(broken.value.result).toMatchObject({ state: 'done', outputs: { result: { projects: expect.any(Array) } } });
  expect(broken.calls).toEqual(['maps.user.get', 'maps.projects.list', 'maps.projects.list']);

  // Half a second, however long the list has become.
  const bytesPerSecond = JSON.stringify(broken.value.result.outputs['result']).length * 2;
  await world.control.fault('maps.projects.list', 1, { slow: { bytesPerSecond } });
  const slow = await world.callsOf(() => world.run(call('maps.projects.list', {})));
  expect(slow.value.result.outputs).toEqual(broken.value.result.outputs);
  expect(slow.calls).toEqual(['maps.user.get', 'maps.projects.list']);
});

test('a tag call that is delivered twice has one effect', async () => {
  await world.control.fault('maps.tags.update', 1, { duplicate: 'delivery' });
  const { value, effects } = await world.effectsOf(() => tag('delivered-twice', ids));
  expect(value.result).toMatchObject({ state: 'done', outputs: { tag: { count: 40 } } });
  expect(effects.map(({ changed }) => changed)).toEqual([41, 0]);
  expect((await world.control.journal()).summary.repeated).toBe(0);
});

test('a creation whose answer breaks off is looked up', async () => {
  await world.control.fault('maps.projects.create', 1, { truncate: 'body' });
  const slug = newSlug('broken');
  const { organizations } = await world.api.user.get({});
  const { value, effects } = await world.effectsOf(() =>
    world.run(call('maps.projects.create', { organization_id: organizations[0]!.organization_id, project_name: slug, slug })),
  );
  expect(value.result).toMatchObject({ state: 'done', outputs: { result: { slug } } });
  expect(effects.map(({ operation }) => operation)).toEqual(['maps.projects.create']);
});

test('a stack in which an ordered fault never fired fails when it is disposed of', async () => {
  const stack = await createStack({ temporal: inject('temporal'), bundle: inject('bundle'), workers: 0 });
  await stack.control.fault('maps.user.get', 2, { status: 500 });
  await stack.api.user.get({});
  await expect(stack[Symbol.asyncDispose]()).rejects.toThrow('maps.user.get, call 2, {"status":500}: fired 0 of 1');
});

test('api.call of a creation whose answer is lost looks it up and sends nothing twice', async () => {
  await world.control.fault('maps.projects.create', 1, { lose: 'answer' });
  const slug = newSlug('created');
  const { organizations } = await world.api.user.get({});
  const { value, effects } = await world.effectsOf(() =>
    world.run(call('maps.projects.create', { organization_id: organizations[0]!.organization_id, project_name: slug, slug })),
  );
  expect(value.result).toMatchObject({ state: 'done', outputs: { result: { slug } } });
  expect(effects.map(({ operation }) => operation)).toEqual(['maps.projects.create']);
  expect((await world.store(value.result.run).events()).filter(({ kind }) => kind === 'reconcile').at(-1)!.cause).toContain(
    'nothing sent again',
  );
});

test('the lost answer of an organization creation leaves one organization', async () => {
  await world.control.fault('maps.organizations.create', 1, { lose: 'answer' });
  const nickname = newSlug('team');
  const { value, effects } = await world.effectsOf(() => world.run(call('maps.organizations.create', { nickname })));
  const { organizations } = await world.api.user.get({});
  const made = organizations.filter((each) => each.nickname === nickname);
  expect(made).toHaveLength(1);
  expect(value.result).toMatchObject({ state: 'done', outputs: { result: { organization_id: made[0]!.organization_id } } });
  expect(effects.map(({ operation }) => operation)).toEqual(['maps.organizations.create']);
});

test('api.call of what cannot be taken back is refused without an approval before it, and done after one', async () => {
  const removal = (id: string, gate: boolean): string => `
name: removal
steps:
${gate ? '  ask: { use: gate.approve, with: { show: removal } }\n' : ''}  remove:
    use: api.call
${gate ? '    needs: [ask]\n' : ''}    with: { operation: maps.projects.remove, input: { project_id: ${id} } }
`;
  const { result } = await world.run(`
name: made
steps:
  dataset: { use: dataset.ensure, with: { slug: ${newSlug('removed')} } }
outputs: { id: "\${{ steps.dataset.id }}" }
`);
  const id = result.outputs['id'] as string;
  const refused = await world.effectsOf(async () => world.portolan(['run', await world.pipeline(removal(id, false)), '-c', 'local']));
  expect(refused.value).toMatchObject({ code: 2, err: expect.stringContaining('gate.approve') });
  expect(refused.effects).toEqual([]);

  const asked = await world.effectsOf(() => world.run(removal(id, true)));
  expect(asked.value.code).toBe(3);
  expect(asked.effects).toEqual([]);
  const { effects } = await world.effectsOf(async () => {
    await world.portolan(['approve', asked.value.result.run, 'ask', '--note', 'yes']);
    expect((await world.ended(asked.value.result.run)).view.state).toBe('done');
  });
  expect(effects.map(({ operation }) => operation)).toEqual(['maps.projects.remove']);
});
