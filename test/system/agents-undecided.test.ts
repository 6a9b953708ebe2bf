import { beforeAll, expect, test } from 'vitest';
import { readResults } from '../../store/results.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

const pipeline = (given: object): string => `
name: agents
steps:
  ask:
    use: agent.run
    tolerate: { unknown: 100% }
    with: ${JSON.stringify({ key: 'id', everySeconds: 0.25, ...given })}
outputs: { ask: "\${{ steps.ask }}" }
`;

type Ended = { run: string; outputs: { ask: { results: string; costUsd: number; statuses: Record<string, number> } } };

const rowsOf = async ({ run, outputs }: Ended) => {
  const rows: Record<string, any>[] = [];
  for await (const row of readResults(world.store(run), outputs.ask.results)) rows.push(row);
  return rows;
};

const reasonsOf = async (run: string) =>
  (await world.store(run).readItems({ step: 'ask' })).map(({ item, status, reason }) => [item, status, reason]);

/** Runs an act, and says how many agents were launched in it. */
async function launched<T>(act: () => Promise<T>): Promise<{ value: T; launches: number }> {
  const { value, effects } = await world.effectsOf(act);
  return { value, launches: effects.filter(({ operation }) => operation === 'instance.agents.launch').length };
}

const rerun = async (run: string, ...more: string[]): Promise<{ last: Ended; launches: number }> => {
  const { value, launches } = await launched(() => world.portolan(['rerun', run, '--failed-only', '--json', ...more]));
  expect([value.code, value.err]).toEqual([0, '']);
  return { last: JSON.parse(value.out.trim().split('\n').at(-1)!) as Ended, launches };
};

const newest = async () => (await world.instance.agents.list({ limit: 100 })).data;

/** A workflow of the local service, released, with a slot that may be left empty. */
const workflowOf = async (name: string): Promise<string> => {
  const { workflows } = world.instance;
  const requestedFiles = [{ name: 'letter', optional: true }];
  const { id, versionId } = await workflows.create({ name, instructionMarkdown: 'Summarise: ships sail. Then they land.', requestedFiles });
  await workflows.release({ workflowId: id, versionId });
  return id;
};

test.each([
  ['without slots', {}],
  ['whose slot is left empty', { inputs: { letter: 'path' } }],
])(
  'a workflow that is launched without prompt and file, %s, is launched once though the answer is lost: nobody knows which agent is its own',
  async (name, inputs) => {
    const workflow = await workflowOf(name);
    const items = await world.write('alone.csv', 'id,path\n1,\n2,\n');
    await world.control.fault('instance.agents.launch', 1, { lose: 'answer' });
    const { value, launches } = await launched(() => world.run(pipeline({ items, workflow, ...inputs })));
    const { run, state, outputs } = value.result;
    expect([state, outputs['ask'].statuses, launches]).toEqual(['done', { done: 1, unknown: 1 }, 2]);
    const unknown = (await reasonsOf(run)).find(([, status]) => status === 'unknown')!;
    expect(unknown[2]).toContain(`portolan rerun ${run} --fate ${unknown[0]}=again`);
  },
);

test('a workflow that is launched without prompt and file is launched again where none of its agents is there, whatever others have launched', async () => {
  const workflow = await workflowOf('nobody');
  const other = await workflowOf('another');
  const items = await world.write('nobody.csv', 'id\n1\n');
  await world.control.fault('instance.agents.launch', 1, { reset: 'before' });
  // The first list is that of the agents which were there before, the second one looks the launch up.
  const { id: held } = await world.control.fault('instance.agents.list', 2, { hold: 'before' });
  const run = await world.start(pipeline({ items, workflow }));
  expect(await world.control.held(held)).toBe(true);
  await world.instance.agents.launch({ workflowId: other });
  await world.instance.agents.launch({ prompt: { text: 'Summarise: ships sail.' } });
  const { launches } = await launched(async () => {
    await world.control.release(held);
    await world.ended(run);
  });
  expect([(await reasonsOf(run)).map(([, status]) => status), launches]).toEqual([['done'], 1]);
});

/** A run whose first item has two agents that bear its mark, because something on the way has delivered its launch twice. */
async function twice(name: string, given: object = {}) {
  const items = await world.write(`${name}.csv`, 'id,text\n1,Write to a@example.com.\n');
  const before = new Set((await newest()).map(({ id }) => id));
  await world.control.fault('instance.agents.launch', 1, { lose: 'answer' });
  // The first list is that of the agents which were there before, the second one looks the launch up.
  const { id: held } = await world.control.fault('instance.agents.list', 2, { hold: 'before' });
  const run = await world.start(pipeline({ items, prompt: 'Extract the emails of this note: {{text}}', ...given }));
  expect(await world.control.held(held)).toBe(true);
  const since = async () => (await newest()).filter(({ id }) => !before.has(id));
  const [first] = await since();
  const { messages } = await world.instance.agents.conversation({ id: first!.id });
  const { id: second } = await world.instance.agents.launch({ prompt: { text: messages.find(({ type }) => type === 'user')!.text! } });
  while ((await since()).some(({ status }) => status !== 'finished'));
  await world.control.release(held);
  await world.ended(run);
  const cost = async (id: string) => (await world.instance.agents.usage({ id })).spend.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return { run, agents: [first!.id, second], cost: (await cost(first!.id)) + (await cost(second)) };
}

test('of an item with two agents nobody knows which is its own: their cost counts, and a rerun launches nothing before a person has spoken', async () => {
  const { run, agents, cost } = await twice('doubled');
  const [[, status, reason]] = (await reasonsOf(run)) as [[string, string, string]];
  expect(status).toBe('unknown');
  for (const part of [...agents, `portolan rerun ${run} --fate 1=again`]) expect(reason).toContain(part);

  const asked = await rerun(run);
  expect([asked.launches, asked.last.outputs.ask.statuses]).toEqual([0, { unknown: 1 }]);
  expect(asked.last.outputs.ask.costUsd).toBeCloseTo(cost, 9);
  expect((await rowsOf(asked.last)).map(({ agent, cost_usd }) => [agent, Number(cost_usd)])).toEqual([[null, expect.closeTo(cost, 9)]]);

  const anew = await rerun(asked.last.run, '--fate', '1=again');
  expect([anew.launches, anew.last.outputs.ask.statuses]).toEqual([1, { done: 1 }]);
});

test('what the agents of an undecided item have cost counts against the cap before another one is launched', async () => {
  const { run, cost } = await twice('doubled-cap', { cap: { item: 1, total: 1 } });
  const text = (total: number) =>
    pipeline({ items: '../doubled-cap.csv', prompt: 'Extract the emails of this note: {{text}}', cap: { item: 1, total } });
  const tolerant = (total: number) => world.pipeline(text(total).replace('unknown: 100%', 'unknown: 100%, capped: 100%'));
  const short = await rerun(run, '--fate', '1=again', '--file', await tolerant(1 + cost / 2));
  expect([short.launches, short.last.outputs.ask.statuses]).toEqual([0, { capped: 1 }]);
  const enough = await rerun(short.last.run, '--file', await tolerant(1 + 2 * cost));
  expect([enough.launches, enough.last.outputs.ask.statuses]).toEqual([1, { done: 1 }]);
});

test('an undecided item that a person calls done is left: what its agents have cost counts once, through all reruns', async () => {
  const { run, cost } = await twice('left', { cap: { item: 1, total: 1 } });
  const left = await rerun(run, '--fate', '1=done');
  expect([left.launches, left.last.outputs.ask.statuses]).toEqual([0, { done: 1 }]);
  expect(left.last.outputs.ask.costUsd).toBeCloseTo(cost, 9);
  const { out } = await world.portolan(['rerun', left.last.run, '--from', 'ask', '--json']);
  const { run: last } = JSON.parse(out.trim().split('\n').at(-1)!) as Ended;
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(world.store(last).path('reservations', 'ask.sqlite'));
  const { spent } = db.prepare('SELECT sum(amount) / 1e9 AS spent FROM reserved').get() as { spent: number };
  db.close();
  expect(spent).toBeCloseTo(cost, 8);
});

test('a rerun goes on with the agent of an undecided item that is left once the other one is gone, and launches one where none is', async () => {
  const one = await twice('one-left');
  await world.instance.agents.remove({ id: one.agents[0]! });
  const kept = await rerun(one.run);
  expect([kept.launches, (await rowsOf(kept.last)).map(({ agent, status }) => [agent, status])]).toEqual([0, [[one.agents[1], 'done']]]);
  const none = await twice('none-left');
  for (const id of none.agents) await world.instance.agents.remove({ id });
  const anew = await rerun(none.run);
  expect([anew.launches, anew.last.outputs.ask.statuses]).toEqual([1, { done: 1 }]);
});
