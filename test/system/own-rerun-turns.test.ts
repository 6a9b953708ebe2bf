import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** Charges by customer; those who are declined may have been charged. */
let charged: string[] = [];
let declined = new Set<string>();
const { url } = useServer((request, response) => {
  const customer = request.url!.slice(1);
  request.resume();
  if (declined.has(customer)) return void response.writeHead(402).end('declined');
  charged.push(customer);
  response.end('{}');
});

const api = new URL('../../index.ts', import.meta.url).href;
beforeAll(async () => {
  await world.write(
    'steps/pay.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.pay',
  input: z.strictObject({ url: z.string(), customer: z.string() }),
  output: z.object({}),
  effect: 'never',
  async run({ url, customer }, context) {
    const reply = await context.fetch(\`\${url}/\${customer}\`, { method: 'POST' });
    if (!reply.ok) throw new Error(await reply.text());
    return {};
  },
});
`,
  );
  await world.write(
    'steps/charge.mts',
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.charge',
  input: z.strictObject({ url: z.string(), customers: z.array(z.string()) }),
  effect: 'never',
  items: ({ url, customers }) => customers.map((id) => ({ id, url })),
  async each({ id, url }, context) {
    const reply = await context.fetch(\`\${url}/\${id}\`, { method: 'POST' });
    if (!reply.ok) throw new Error(await reply.text());
  },
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});
beforeEach(() => {
  charged = [];
  declined = new Set();
});

const pays = '{ use: acme.pay, with: { url: "${{ params.url }}", customer: "${{ who }}" } }';
const turns = (items: string, { step = pays, names = ['each', 'pay'], parallel = 1 } = {}): string => `name: paying
params: { url: { type: string } }
steps:
  ${names[0]}:
    forEach: { items: [${items}], parallel: ${parallel}, as: who }
    steps: { ${names[1]}: ${step} }
    outputs: { who: "\${{ who }}" }
`;

/** Runs the first pipeline, in which the customer d is declined, then goes on with it by the second. Returns how that ended. */
async function goneOn(first: string, second: string, more: readonly string[] = []): Promise<{ state: string; message?: string }> {
  declined = new Set(['d']);
  const { result } = await world.run(first, { url: url() });
  expect(result.state).toBe('failed');
  declined = new Set();
  const { out } = await world.portolan(['rerun', result.run, '--file', await world.pipeline(second), '--json', ...more]);
  const { state, error } = JSON.parse(out.trim().split('\n').at(-1)!) as { state: string; error?: { message: string } };
  return { state, ...(error && { message: error.message }) };
}

test('a rerun of a loop whose list has changed does no turn again that was done, and asks of the one of which nobody knows', async () => {
  const asked = await goneOn(turns('a, b, c, d'), turns('b, c, d'));
  expect(asked).toMatchObject({ state: 'failed', message: expect.stringContaining('each[2].pay=again') });
  expect(charged).toEqual(['a', 'b', 'c']);
  charged = [];
  expect(await goneOn(turns('a, b, c, d'), turns('z, d, c, b'), ['--fate', 'each[1].pay=again'])).toEqual({ state: 'done' });
  expect(charged).toEqual(['a', 'b', 'c', 'z', 'd']);
});

test('an item that is in the list twice is done twice, whatever its places', async () => {
  expect(await goneOn(turns('x, a, a, d'), turns('a, a, a, d'), ['--fate', 'each[3].pay=again'])).toEqual({ state: 'done' });
  expect(charged).toEqual(['x', 'a', 'a', 'a', 'd']);
});

const paysObject = pays.replace('${{ who }}', '${{ who.id }}');
const list = (seen: number | string, ...ids: string[]): string => ids.map((id) => `{ id: ${id}, seen: ${seen} }`).join(', ');

test('turns over objects are known by all of their fields, and else by their places', async () => {
  const step = paysObject;
  const fate = ['--fate', 'each[2].pay=again'];
  expect(await goneOn(turns(list(1, 'a', 'b', 'c', 'd'), { step }), turns(list(1, 'b', 'c', 'd'), { step }), fate)).toEqual({
    state: 'done',
  });
  expect(charged).toEqual(['a', 'b', 'c', 'd']);
  charged = [];
  expect(await goneOn(turns(list(1, 'a', 'b', 'd'), { step }), turns(list(2, 'a', 'b', 'd'), { step }), fate)).toEqual({ state: 'done' });
  expect(charged).toEqual(['a', 'b', 'd']);
});

test.each([
  ['one at a time', { parallel: 1, seen: 1 }],
  ['several at once', { parallel: 4, seen: 1 }],
  ['over a list that stands in the run store', { parallel: 1, seen: 'x'.repeat(2_000) }],
])('an object that is put before others, or among them, takes nothing that was done for one of them: %s', async (_, { parallel, seen }) => {
  const before = turns(list(seen, 'a', 'b', 'd'), { step: paysObject });
  for (const ids of [
    ['z', 'a', 'b', 'd'],
    ['a', 'y', 'b', 'z', 'd'],
  ]) {
    charged = [];
    const fate = ['--fate', `each[${ids.indexOf('d')}].pay=again`];
    expect(await goneOn(before, turns(list(seen, ...ids), { step: paysObject, parallel }), fate)).toEqual({ state: 'done' });
    expect(charged.toSorted()).toEqual(ids.toSorted());
  }
});

test('an object that is another one in a field is known by its place where the others have another order, unless that was the place of one of them', async () => {
  const before = turns(list(1, 'a', 'b', 'c', 'd'), { step: paysObject });
  const rerun = (...items: string[]): Promise<{ state: string }> =>
    goneOn(before, turns(items.join(', '), { step: paysObject }), ['--fate', 'each[3].pay=again']);
  expect(await rerun(list(1, 'c', 'b'), list(2, 'a'), list(1, 'd'))).toEqual({ state: 'done' });
  expect(charged).toEqual(['a', 'b', 'c', 'a', 'd']);
  charged = [];
  expect(await rerun(list(1, 'b', 'a'), list(2, 'c'), list(1, 'd'))).toEqual({ state: 'done' });
  expect(charged).toEqual(['a', 'b', 'c', 'd']);
});

test('of an object that was in the list twice, and is another one in a field at one place, both turns are known', async () => {
  const before = turns(list(1, 'a', 'a', 'd'), { step: paysObject });
  const after = turns([list(2, 'a'), list(1, 'a', 'd')].join(', '), { step: paysObject });
  expect(await goneOn(before, after, ['--fate', 'each[2].pay=again'])).toEqual({ state: 'done' });
  expect(charged).toEqual(['a', 'a', 'd']);
});

test('in loops in loops an object that is put before others takes nothing that was done for one of them', async () => {
  const groups = (...each: string[][]): string =>
    `name: paying
params: { url: { type: string } }
steps:
  each:
    forEach: { items: [${each.map((ids) => `{ of: [${list(1, ...ids)}] }`).join(', ')}], parallel: 1, as: group }
    steps:
      inner:
        forEach: { items: "\${{ group.of }}", parallel: 1, as: who }
        steps: { pay: ${paysObject} }
`;
  for (const [path, ...now] of [
    ['each[2].inner[0].pay', ['z'], ['a', 'b'], ['d']],
    ['each[1].inner[0].pay', ['z', 'a', 'b'], ['d']],
  ] as [string, ...string[][]][]) {
    charged = [];
    expect(await goneOn(groups(['a', 'b'], ['d']), groups(...now), ['--fate', `${path}=again`])).toEqual({ state: 'done' });
    expect(charged).toEqual(['a', 'b', 'z', 'd']);
  }
});

test('what turns have done is known where the loop, or a step in it, has another name', async () => {
  for (const names of [
    ['turns', 'pay'],
    ['each', 'settle'],
  ]) {
    charged = [];
    const fate = ['--fate', `${names[0]}[2].${names[1]}=again`];
    expect(await goneOn(turns('a, b, d'), turns('a, b, d', { names }), fate)).toEqual({ state: 'done' });
    expect(charged).toEqual(['a', 'b', 'd']);
  }
});

test('items of a sweep in a turn are done once, whatever the place of the turn', async () => {
  const step = `{ use: acme.charge, with: { url: "\${{ params.url }}", customers: ["\${{ who }}", "\${{ who + 'x' }}"] } }`;
  expect(await goneOn(turns('a, b, d', { step }), turns('b, d', { step }))).toEqual({ state: 'done' });
  expect(charged.toSorted()).toEqual(['a', 'ax', 'b', 'bx', 'd', 'dx']);
});

test('the run of a turn takes over what that of the same item has done, whatever its place', async () => {
  await world.write(
    'pipelines/pays.yaml',
    `name: pays
params: { url: { type: string }, who: { type: string } }
steps:
  charge: { use: acme.charge, with: { url: "\${{ params.url }}", customers: ["\${{ params.who }}", "\${{ params.who + 'x' }}"] } }
`,
  );
  const step = '{ use: ./pays.yaml, with: { url: "${{ params.url }}", who: "${{ who }}" } }';
  expect(await goneOn(turns('a, b, d', { step }), turns('b, d, z', { step }))).toEqual({ state: 'done' });
  expect(charged.toSorted()).toEqual(['a', 'ax', 'b', 'bx', 'd', 'dx', 'z', 'zx']);
  charged = [];
  const ofObject = { step: step.replace('${{ who }}', '${{ who.id }}') };
  expect(await goneOn(turns(list(1, 'a', 'b', 'd'), ofObject), turns(list(1, 'z', 'a', 'b', 'd'), ofObject))).toEqual({ state: 'done' });
  expect(charged.toSorted()).toEqual(['a', 'ax', 'b', 'bx', 'd', 'dx', 'z', 'zx']);
});
