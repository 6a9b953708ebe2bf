import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** Charges by customer; some are declined, of some the answer is lost. */
let charged: string[] = [];
let declined = new Set<string>();
let lost = new Set<string>();
const { url } = useServer((request, response) => {
  const customer = request.url!.slice(1);
  request.resume();
  if (declined.has(customer)) return void response.writeHead(402).end('declined');
  charged.push(customer);
  if (lost.has(customer)) return void request.socket.destroy();
  response.end('{}');
});

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
    'steps/reach.mts',
    `import { existsSync } from 'node:fs';
import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.reach',
  input: z.strictObject({ url: z.string(), customers: z.array(z.string()) }),
  effect: 'never',
  attempts: 50,
  items: ({ url, customers }) => customers.map((id) => ({ id, url })),
  async each({ id, url }, context) {
    const there = id !== 'away' || existsSync(${JSON.stringify(join(world.dir, 'there'))});
    await context.fetch(\`\${there ? url : 'http://127.0.0.1:1'}/\${id}\`, { method: 'POST' });
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
  expect(refused).toMatchObject({ code: 2, out: expect.stringMatching(/^{"type":"error"/) });
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
  const again = ['rerun', last(third).run, '--from', 'charge', '--file', other, '--fate', 'c1=again', '--json'];
  expect(last(await world.portolan(again))).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining("'c0' was done") },
  });
  expect(last(await world.portolan([...again, '--fate', 'c0=again']))).toMatchObject({ state: 'done', outputs: { all: { done: 2 } } });
  expect(charged.slice(2).toSorted()).toEqual(['c0', 'c1']);
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
  expect(refused).toMatchObject({ code: 2, out: expect.stringMatching(/^{"type":"error"/) });
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

  // The first run is kept for the last one that continues it; taken away, it has taken what it knew along.
  const folder = join(world.place.storeRoot, first.result.run);
  await rename(folder, `${world.dir}/aside`);
  const refused = await world.portolan(['rerun', last(second).run, '--json']);
  expect(refused).toMatchObject({ code: 2, out: expect.stringMatching(/^{"type":"error"/) });
  expect(refused.err).toContain(
    `step many: run ${first.result.run} may have done 'many', and its effect is 'never'; the folder of that run is gone`,
  );
  expect(refused.err).toContain('--fate many=again');
  const half = await world.portolan(['rerun', last(second).run, '--fate', 'many=again', '--json']);
  expect(half).toMatchObject({ code: 2, out: expect.stringMatching(/^{"type":"error"/) });
  expect(half.err).toContain(`step pay: run ${first.result.run} may have done 'pay'`);

  await rename(`${world.dir}/aside`, folder);
  declined = new Set(['z1']);
  const third = await world.portolan(['rerun', last(second).run, '--json']);
  expect(last(third)).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  expect(charged.toSorted()).toEqual(['a1', 'b1', 'm1', 'm2', 'p1']);
  // What the last one took over it knows by itself, whichever run is named.
  await rm(folder, { recursive: true });
  expect(last(await world.portolan(['rerun', last(second).run, '--json']))).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  expect(charged).toHaveLength(5);
});

/** A rerun that has been started, and that a worker comes to when the folder of the run before it is gone. */
async function rerunWithout(former: string, from: string): Promise<string> {
  await world.worker.stop();
  const { out } = await world.portolan(['rerun', former, '--from', from, '--detach', '--json']);
  await rm(join(world.place.storeRoot, former), { recursive: true });
  await world.worker.start(0);
  return last({ out }).run;
}

test.each([
  ['charge', pipeline(names(3)), ['--fate', 'charge=again']],
  ['pay', paying, ['--fate', 'pay=again', '--fate', 'rest=again']],
])('step %s: what was done by a run whose folder goes while its rerun begins is not done again', async (step, yaml, fates) => {
  declined = new Set(['c2']);
  const first = await world.run(yaml, { url: url() });
  expect(first.result.state).toBe('failed');
  const before = charged.length;
  const second = await rerunWithout(first.result.run, step);
  expect((await world.ended(second)).view).toMatchObject({
    state: 'failed',
    error: { step, type: 'Undecided', message: expect.stringContaining('the folder of that run is gone') },
  });
  expect(charged).toHaveLength(before);
  const asked = await world.portolan(['rerun', second, '--json']);
  expect(asked.err).toContain(`--fate ${step}=again`);
  declined = new Set();
  const third = await world.portolan(['rerun', second, ...fates, '--json']);
  expect(last(third)).toMatchObject({ state: 'done' });
  expect(charged.length).toBeGreaterThan(before);
});

test('a rerun does what a cancelled run was to try again, and asks nobody about the rest', async () => {
  const run = await world.start(pipeline('c0, away', 'charge').replace('acme.charge', 'acme.reach'), { url: url() });
  await world.until(run, ({ pending }) => pending.some(({ attempt, waiting }) => attempt > 1 || waiting));
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view).toMatchObject({ state: 'cancelled', steps: [{ counts: { done: 2, failed: 1 } }] });
  await world.write('there', '');
  expect(last(await world.portolan(['rerun', run, '--json']))).toMatchObject({ state: 'done' });
  expect(charged).toEqual(['c0', 'away']);
});

test.each([
  ['sweeps', 'its list of items is gone'],
  ['sweeps/charge/list.json', 'its list of items is gone'],
  ['sweeps/charge/*/*.parquet', 'a part of its list of items is gone'],
  ['intents/charge', 'its journal is gone'],
])('a sweep that was begun and of which %s is gone is a question to a person', async (gone, why) => {
  declined = new Set(['c2']);
  const first = await world.run(pipeline(names(3)), { url: url() });
  const store = join(world.place.storeRoot, first.result.run);
  for await (const file of glob(gone, { cwd: store })) await rm(join(store, file), { recursive: true });
  const refused = await world.portolan(['rerun', first.result.run, '--json']);
  expect(refused).toMatchObject({ code: 2, out: expect.stringMatching(/^{"type":"error"/) });
  expect(refused.err).toContain(`step charge: run ${first.result.run} may have done 'charge', and its effect is 'never'; ${why}`);
  expect(charged).toHaveLength(2);
});

test.each(['plan.json', 'sweeps/charge/list.json'])('where %s is cut off, the file is named, and what can be done', async (cut) => {
  declined = new Set(['c2']);
  const first = await world.run(pipeline(names(3)), { url: url() });
  const file = join(world.place.storeRoot, first.result.run, cut);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.slice(0, text.length / 2));
  const refused = await world.portolan(['rerun', first.result.run, '--json']);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain(`${file} is damaged: `);
  expect(refused.err).toContain(cut === 'plan.json' ? 'put it back from a copy of the run store' : '--fate charge=again');
  await writeFile(file, text);
  expect((await world.portolan(['rerun', first.result.run, '--json'])).err).not.toContain('damaged');
});

test('what a lost run may have done of what the one before it left is not done again', async () => {
  declined = new Set(['c2']);
  const first = await world.run(pipeline(names(3)), { url: url() });
  declined = new Set();
  const second = await world.portolan(['rerun', first.result.run, '--json']);
  expect(charged).toEqual(['c0', 'c1', 'c2']);
  const third = await rerunWithout(last(second).run, 'charge');
  expect((await world.ended(third)).view.error).toMatchObject({
    type: 'Undecided',
    message: expect.stringContaining(`run ${last(second).run} may have done c2`),
  });
  expect(charged).toHaveLength(3);
});

test('an item that only a lost run can have done is asked for by its name; what a later run knows is not', async () => {
  declined = new Set(['c2']);
  const first = await world.run(pipeline(names(3)), { url: url() });
  const fewer = await world.pipeline(pipeline('c0, c2'));
  const second = await world.portolan(['rerun', first.result.run, '--file', fewer, '--json']);
  await rm(join(world.place.storeRoot, first.result.run), { recursive: true });
  declined = new Set();
  const all = await world.pipeline(pipeline(names(3)));
  const third = await world.portolan(['rerun', last(second).run, '--file', all, '--json']);
  expect(last(third)).toMatchObject({ state: 'failed', error: { type: 'Undecided' } });
  expect(third.out).toContain(`run ${first.result.run} may have done c1, and nobody knows: the folder of that run is gone`);
  const fourth = await world.portolan(['rerun', last(third).run, '--file', all, '--fate', 'c1=done', '--json']);
  expect(last(fourth)).toMatchObject({ state: 'done', outputs: { all: { done: 3 } } });
  expect(charged).toEqual(['c0', 'c1', 'c2']);
});

test('a step is known by its name, or as the only one of its code that got another; a new step is no renamed one', async () => {
  declined = new Set(['c2']);
  const first = await world.run(paying, { url: url() });
  const renamed = await world.pipeline(paying.replaceAll('pay:', 'paid:').replace('[pay]', '[paid]').replace('steps.pay.', 'steps.paid.'));
  const second = await world.portolan(['rerun', first.result.run, '--from', 'paid', '--file', renamed, '--json']);
  expect(last(second)).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  expect(charged).toEqual(['c1']);
  declined = new Set();
  const added = await world.pipeline(
    `${paying.split('outputs:')[0]!}  more: { use: acme.charge, needs: [rest], with: { url: "\${{ params.url }}", customers: [c2] } }\n`,
  );
  const third = await world.portolan(['rerun', first.result.run, '--from', 'pay', '--file', added, '--json']);
  expect(last(third)).toMatchObject({ state: 'done' });
  expect(charged).toEqual(['c1', 'c2', 'c2']);
  // Two for one: neither is taken for the step that was.
  const split = await world.pipeline(
    paying.split('  rest:')[0]!.replace('  pay:', '  one:') + paying.split('\n')[4]!.replace('  pay:', '  two:') + '\n',
  );
  const refused = await world.portolan(['rerun', first.result.run, '--from', 'one', '--file', split, '--json']);
  expect(refused).toMatchObject({ code: 2, out: expect.stringMatching(/^{"type":"error"/) });
  expect(refused.err).toContain('step one: run');
  expect(refused.err).toContain('give it the name that it had there');
});

/** Reruns of one run are begun beside each other: both have looked whether somebody was first when the first one begins. */
async function besideEachOther(...argv: string[]): Promise<string[]> {
  await world.worker.stop();
  const started = [];
  for (let at = 0; at < 2; at++) started.push(await world.portolan(['rerun', ...argv, '--detach', '--json']));
  await world.worker.start(0);
  return started.map((each) => last(each).run);
}

test('a run is continued once: of two reruns beside each other one does nothing, and names the other', async () => {
  declined = new Set(['c1']);
  lost = new Set(['c2']);
  const { result } = await world.run(pipeline(names(4)), { url: url() });
  expect(charged).not.toContain('c1');
  declined = new Set();
  const runs = await besideEachOther(result.run, '--fate', 'c2=done');
  const views = await Promise.all(runs.map(async (run) => (await world.ended(run)).view));
  const first = views.find(({ state }) => state === 'done')!;
  const second = views.find(({ state }) => state !== 'done')!;
  expect(second).toMatchObject({
    state: 'failed',
    error: { type: 'Continued', message: `run ${result.run} is continued by run ${first.run} already: nothing was done` },
  });
  const once = [...charged];
  expect(once).toContain('c1');
  expect(new Set(once).size).toBe(once.length);
  expect((await world.portolan(['why', second.run])).out).toContain(`then: portolan rerun ${first.run}`);
  expect((await world.portolan(['rerun', second.run])).err).toContain(`run ${second.run} did nothing`);

  // Afterwards the one that is done is named; where a step is asked for, what it did is known.
  const refused = await world.portolan(['rerun', result.run, '--fate', 'c2=done', '--json']);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(`was continued by run ${first.run}, which is done`) });
  const why = await world.portolan(['why', result.run]);
  expect(why.out).toContain(`run ${first.run} has continued it and is done: portolan status ${first.run}`);
  expect(why.out).not.toContain('portolan rerun');
  const named = await world.portolan(['rerun', result.run, '--from', 'charge', '--json']);
  expect(last(named)).toMatchObject({ state: 'done', outputs: { all: { done: 4 } } });
  expect(named.out).toContain(`"continuedBy":["${first.run}"]`);
  expect(charged).toEqual(once);
});

test('a single step that a rerun has done is not done by the next rerun of the same run, whatever is said', async () => {
  lost = new Set(['c1']);
  const first = await world.run(paying, { url: url() });
  expect(first.result).toMatchObject({ state: 'failed', error: { step: 'pay' } });
  lost = new Set();
  declined = new Set(['c2']);
  const second = await world.portolan(['rerun', first.result.run, '--fate', 'pay=again', '--json']);
  expect(last(second)).toMatchObject({ state: 'failed', error: { step: 'rest' } });
  expect(charged).toEqual(['c1', 'c1']);
  expect((await world.portolan(['why', first.result.run])).out).toContain(
    `run ${last(second).run} has continued it (failed): portolan why ${last(second).run}`,
  );
  declined = new Set();
  const third = await world.portolan(['rerun', first.result.run, '--fate', 'pay=again', '--json']);
  expect(last(third)).toMatchObject({ state: 'done', outputs: { paid: '{}' } });
  expect(charged).toEqual(['c1', 'c1', 'c2']);
});

test('while a rerun goes on, another rerun of the same run, or of one before it, is refused', async () => {
  declined = new Set(['c2']);
  const first = await world.run(paying, { url: url() });
  const second = await world.portolan(['rerun', first.result.run, '--json']);
  const gated = await world.pipeline(`${paying.split('outputs:')[0]!}  ask: { use: gate.approve, needs: [rest] }\n`);
  declined = new Set();
  const third = last(await world.portolan(['rerun', last(second).run, '--file', gated, '--detach', '--json'])).run;
  await world.until(third, ({ view }) => view.state === 'approval');
  for (const of of [first.result.run, last(second).run]) {
    const refused = await world.portolan(['rerun', of, '--from', 'rest', '--json']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`run ${of} is continued by run ${third}, which has not ended (approval)`);
  }
  expect((await world.portolan(['why', first.result.run])).out).toContain(`run ${third} continues it (approval): portolan watch ${third}`);
  await world.portolan(['cancel', third]);
  await world.ended(third);
  expect(last(await world.portolan(['rerun', first.result.run, '--json']))).toMatchObject({ state: 'done' });
  expect(charged).toEqual(['c1', 'c2']);
});

test('a rerun whose folder is gone may have done it: a person is asked, and a claim that is cut off is nobody’s', async () => {
  lost = new Set(['c1']);
  const first = await world.run(paying, { url: url() });
  lost = new Set();
  declined = new Set(['c2']);
  const second = await world.portolan(['rerun', first.result.run, '--fate', 'pay=again', '--json']);
  expect(charged).toEqual(['c1', 'c1']);
  await rm(join(world.place.storeRoot, last(second).run), { recursive: true });
  const refused = await world.portolan(['rerun', first.result.run, '--json']);
  expect(refused.err).toContain(
    `step pay: run ${last(second).run} may have done 'pay', and its effect is 'never'; the folder of that run is gone`,
  );
  await writeFile(join(world.place.storeRoot, first.result.run, 'continued.json'), '{"run":"pay');
  declined = new Set();
  const third = await world.portolan(['rerun', first.result.run, '--fate', 'pay=again', '--json']);
  expect(last(third)).toMatchObject({ state: 'done' });
  expect(await readFile(join(world.place.storeRoot, first.result.run, 'continued.json'), 'utf8')).toContain(last(third).run);
});

test('two runs of an earlier version that continue one run, each without the other: nobody can know, and none is begun', async () => {
  lost = new Set(['c1']);
  const first = await world.run(paying, { url: url() });
  const again = async (): Promise<string> => {
    const { run } = last(await world.portolan(['rerun', first.result.run, '--fate', 'pay=again', '--json']));
    for await (const file of glob('*/continued.json', { cwd: world.place.storeRoot })) await rm(join(world.place.storeRoot, file));
    const file = join(world.place.storeRoot, run, 'run.json');
    const record = JSON.parse(await readFile(file, 'utf8')) as { former: { run: string }[] };
    await writeFile(file, JSON.stringify({ ...record, former: record.former.filter((former) => former.run === first.result.run) }));
    return run;
  };
  const runs = [await again(), await again()];
  expect(charged).toHaveLength(3);
  for (const of of [first.result.run, ...runs]) {
    const refused = await world.portolan(['rerun', of, '--fate', 'pay=again', '--json']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('and neither knows what the other one did') });
    for (const run of runs) expect(refused.err).toContain(run);
  }
  expect(charged).toHaveLength(3);
});
