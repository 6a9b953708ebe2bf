import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useWorld } from './support.ts';

const world = useWorld();

/** Charges by customer; some are declined, of some the answer is lost. */
let charged: string[] = [];
let declined = new Set<string>();
let lost = new Set<string>();
const server = createServer((request, response) => {
  const customer = request.url!.slice(1);
  request.resume();
  if (declined.has(customer)) return void response.writeHead(402).end('declined');
  charged.push(customer);
  if (lost.has(customer)) return void request.socket.destroy();
  response.end('{}');
});
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const api = new URL('../../index.ts', import.meta.url).href;
const pipeline = (customers: string, id = 'charge'): string => `
name: charging
params: { url: { type: string } }
steps:
  ${id}: { use: acme.charge, with: { url: "\${{ params.url }}", customers: [${customers}] } }
outputs: { all: "\${{ steps.${id} }}" }
`;
const names = (count: number): string => Array.from({ length: count }, (_, at) => `c${at}`).join(', ');

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await world.write(
    'steps/charge.mts',
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.charge',
  input: z.strictObject({ url: z.string(), customers: z.array(z.string()), amount: z.int().default(1) }),
  effect: 'never',
  chunk: 4,
  result: z.object({ paid: z.int() }),
  items: ({ url, customers, amount }) => customers.map((id) => ({ id, url, amount })),
  async each({ id, url, amount }, context) {
    const reply = await context.fetch(\`\${url}/\${id}\`, { method: 'POST' });
    if (!reply.ok) throw new Error(await reply.text());
    return { result: { paid: amount } };
  },
});
`,
  );
  await world.write(
    'steps/pay.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.pay',
  input: z.strictObject({ url: z.string(), customer: z.string() }),
  output: z.object({ paid: z.string() }),
  effect: 'never',
  async run({ url, customer }, context) {
    const reply = await context.fetch(\`\${url}/\${customer}\`, { method: 'POST' });
    return { paid: await reply.text() };
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
  lost = new Set();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A command that ends with a line of JSON. */
const last = ({ out }: { out: string }) => JSON.parse(out.trim().split('\n').at(-1)!) as { run: string; state: string; outputs: any };

test('a rerun of a sweep that must not happen twice does what failed, and nothing again', async () => {
  declined = new Set(['c5']);
  const first = await world.run(pipeline(names(30)), { url: url() });
  expect(first.result).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('c5: declined') } });
  expect(charged).toHaveLength(29);
  declined = new Set(['c6']);
  const second = await world.portolan(['rerun', first.result.run, '--json']);
  expect(last(second)).toMatchObject({ state: 'done', outputs: { all: { items: 30, done: 30, failed: 0 } } });
  expect(charged).toHaveLength(30);
  const ledger = await world.store(last(second).run).readItems({ step: 'charge' });
  expect(ledger.filter(({ reason }) => reason === `by run ${first.result.run}`)).toHaveLength(29);
  const rows = (await world.portolan(['items', last(second).run, '--results', '--json'])).out.trim().split('\n');
  expect(rows).toHaveLength(30);

  // Also where it is asked for, of a run that took over itself, and under another name of the step.
  const renamed = await world.pipeline(pipeline(names(31), 'again'));
  const third = await world.portolan(['rerun', last(second).run, '--from', 'again', '--file', renamed, '--json']);
  expect(last(third)).toMatchObject({ state: 'done', outputs: { all: { items: 31, done: 31 } } });
  expect(charged).toHaveLength(31);
  expect(new Set(charged).size).toBe(31);
});

test('an item that may have been done is a question to a person, before anything is started', async () => {
  lost = new Set(['c1', 'c2']);
  const first = await world.run(pipeline(names(4)), { url: url() });
  expect(first.result.state).toBe('failed');
  expect(charged).toHaveLength(4);
  lost = new Set();
  const refused = await world.portolan(['rerun', first.result.run, '--json']);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('may have done 2 items (c1, c2)');
  expect(refused.err).toContain('--fate c1=done or --fate c1=again');
  expect((await world.portolan(['rerun', first.result.run, '--fate', 'c1=maybe'])).err).toContain('--fate KEY=done, or KEY=again');
  const second = await world.portolan(['rerun', first.result.run, '--fate', 'c1=done', '--fate', 'c2=again', '--json']);
  expect(last(second)).toMatchObject({ state: 'done', outputs: { all: { done: 4 } } });
  expect(charged.toSorted()).toEqual(['c0', 'c1', 'c2', 'c2', 'c3']);
  const [c1] = (await world.store(last(second).run).readItems({ step: 'charge' })).filter(({ item }) => item === 'c1');
  expect(c1!.reason).toBe(`a person says: done by run ${first.result.run}`);
  // What a person has said is asked no second time.
  const third = await world.portolan(['rerun', last(second).run, '--from', 'charge', '--json']);
  expect(last(third)).toMatchObject({ state: 'done', outputs: { all: { done: 4 } } });
  expect(charged).toHaveLength(5);
});

test('an item of the same name with another content is no item that was done', async () => {
  declined = new Set(['c0']);
  const first = await world.run(pipeline(names(2)), { url: url() });
  const other = await world.pipeline(pipeline(names(2)).replace('customers:', 'amount: 2, customers:'));
  const second = await world.portolan(['rerun', first.result.run, '--file', other, '--json']);
  expect(last(second)).toMatchObject({ state: 'failed', error: { message: expect.stringContaining("'c1' was done by run") } });
  expect(charged).toEqual(['c1']);
  // Nor has the run that was refused forgotten what the one before it did.
  declined = new Set();
  const third = await world.portolan(['rerun', last(second).run, '--file', await world.pipeline(pipeline(names(2))), '--json']);
  expect(last(third)).toMatchObject({ state: 'done', outputs: { all: { done: 2 } } });
  expect(charged).toEqual(['c1', 'c0']);
});

test('two items of one name are refused: nobody could say which is which', async () => {
  const { result } = await world.run(pipeline('a, b, a'), { url: url() });
  expect(result).toMatchObject({ state: 'failed', error: { message: expect.stringContaining("two items are named 'a'") } });
  expect(charged).toEqual([]);
});

const paying = `
name: paying
params: { url: { type: string } }
steps:
  pay: { use: acme.pay, with: { url: "\${{ params.url }}", customer: c1 } }
  rest: { use: acme.charge, needs: [pay], with: { url: "\${{ params.url }}", customers: [c2] } }
outputs: { paid: "\${{ steps.pay.paid }}" }
`;

test('a rerun of a single step that must not happen twice takes over what it gave, in each rerun again', async () => {
  declined = new Set(['c2']);
  const first = await world.run(paying, { url: url() });
  expect(first.result).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  const second = await world.portolan(['rerun', first.result.run, '--from', 'pay', '--json']);
  declined = new Set();
  const third = await world.portolan(['rerun', last(second).run, '--from', 'pay', '--json']);
  expect(last(third)).toMatchObject({ state: 'done', outputs: { paid: '{}' } });
  expect(charged).toEqual(['c1', 'c2']);
});

test('a single step that may have been done is a question to a person', async () => {
  lost = new Set(['c1']);
  const first = await world.run(paying, { url: url() });
  expect(first.result).toMatchObject({ state: 'failed', error: { type: 'Undecided' } });
  lost = new Set();
  const refused = await world.portolan(['rerun', first.result.run, '--json']);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('where it did nothing: --fate pay=again');
  const second = await world.portolan(['rerun', first.result.run, '--fate', 'pay=again', '--json']);
  expect(last(second)).toMatchObject({ state: 'done' });
  expect(charged).toEqual(['c1', 'c1', 'c2']);
});

const staged = (first: string): string => `
name: staged
params: { url: { type: string } }
steps:
  first: { use: acme.charge, with: { url: "\${{ params.url }}", customers: [${first}] } }
  many: { use: acme.charge, needs: [first], with: { url: "\${{ params.url }}", customers: [m1, m2] } }
  pay: { use: acme.pay, needs: [first], with: { url: "\${{ params.url }}", customer: p1 } }
  rest: { use: acme.charge, needs: [many, pay], with: { url: "\${{ params.url }}", customers: [z1] } }
`;

test('a rerun knows what was done before a run that ended without coming so far; where nobody can know, a person is asked', async () => {
  declined = new Set(['z1']);
  const first = await world.run(staged('a1'), { url: url() });
  expect(first.result).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  declined = new Set(['b1', 'z1']);
  const longer = await world.pipeline(staged('a1, b1'));
  const second = await world.portolan(['rerun', first.result.run, '--from', 'first', '--file', longer, '--json']);
  expect(last(second)).toMatchObject({ state: 'failed', error: { step: 'first' } });
  declined = new Set(['z1']);
  const third = await world.portolan(['rerun', last(second).run, '--json']);
  expect(last(third)).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  expect(charged.toSorted()).toEqual(['a1', 'b1', 'm1', 'm2', 'p1']);

  // The first run is kept for the last one that continues it; taken away, it has taken what it knew along.
  await rm(join(world.place.storeRoot, first.result.run), { recursive: true });
  const refused = await world.portolan(['rerun', last(second).run, '--json']);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain(
    `step pay: run ${first.result.run} may have done 'pay', and its effect is 'never'; the folder of that run is gone`,
  );
  expect(refused.err).toContain('--fate pay=again');
});
