import { beforeAll, expect, test } from 'vitest';
import { agentsPipeline, countOf, rowsIn } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

/** Launches and follow-ups that had an effect. */
const sent = (effects: readonly { operation: string }[]): [number, number] => [
  countOf(effects, 'instance.agents.launch'),
  countOf(effects, 'instance.agents.followup'),
];

const again = { prompt: 'Extract the emails of this note: {{text}}' };

type Ended = { run: string; outputs: { ask: { statuses: object; results: string; costUsd: number } } };

/** A rerun, to its end: its exit code, what it says last, and what it has sent. */
const rerun = async (run: string, ...more: string[]) => {
  const { value, effects } = await world.effectsOf(() => world.portolan(['rerun', run, ...more, '--json']));
  return { code: value.code, last: JSON.parse(value.out.trim().split('\n').at(-1)!) as Ended, sent: sent(effects) };
};

test('an agent whose turn has come to its cap is prompted no further, and a rerun with a higher cap goes on with it', async () => {
  const items = await world.write('further.csv', 'id,text\n1,Nothing here.\n');
  const more = { followUps: [again], turns: 3 };
  const first = await world.effectsOf(() => world.run(agentsPipeline(items, { ...more, cap: { item: 0.00001 } })));
  const { run, outputs } = first.value.result;
  expect([outputs['ask'].statuses, sent(first.effects)]).toEqual([{ capped: 1 }, [1, 0]]);
  const [row] = await rowsIn(world, run, outputs['ask'].results as string);
  expect(row).toMatchObject({ status: 'capped', turns: 1, text: expect.stringContaining('No emails found') });
  expect(Number(row!['cost_usd'])).toBeGreaterThan(0.00001);
  const file = await world.pipeline(agentsPipeline(items, { ...more, cap: { item: 1 } }));
  const on = await rerun(run, '--failed-only', '--file', file);
  expect([on.code, on.sent, on.last.outputs.ask.statuses]).toEqual([0, [0, 2], { done: 1 }]);
});

test('an agent that ends its turn while it is found to have come to its cap is not done without its further prompt', async () => {
  const items = await world.write('ending.csv', 'id,text\n1,Ask me which ship is meant.\n');
  const more = { prompt: '{{text}}', followUps: [{ prompt: 'Ask me which crew is meant.' }], turns: 2 };
  const { id } = await world.control.fault('instance.agents.usage', 1, { hold: 'before' });
  const { value, effects } = await world.effectsOf(async () => {
    const run = await world.start(agentsPipeline(items, { ...more, cap: { item: 0.00001 } }));
    expect(await world.control.held(id)).toBe(true);
    // The list had it under way: what its usage says is that of its end.
    await answerNext(1);
    const [newest] = (await world.instance.agents.list({ limit: 1 })).data;
    for (let status = 'running'; status !== 'finished';) ({ status } = await world.instance.agents.get({ id: newest!.id }));
    await world.control.release(id);
    return { run, ...(await world.ended(run)) };
  });
  expect([(value.view.outputs!['ask'] as Ended['outputs']['ask']).statuses, sent(effects)]).toEqual([{ capped: 1 }, [1, 0]]);
  // What had asked it to stop does not stop the turn that a rerun asks for.
  const file = await world.pipeline(agentsPipeline(items, { ...more, cap: { item: 1 } }));
  const [on] = await Promise.all([rerun(value.run, '--failed-only', '--file', file), answerNext(1)]);
  expect([on.code, on.sent, on.last.outputs.ask.statuses]).toEqual([0, [0, 1], { done: 1 }]);
});

/** Answers the next questions of so many agents, each once. */
const answerNext = async (agents: number): Promise<void> => {
  for (const answered = new Set<string>(); answered.size < agents;)
    for (const { id } of (await world.instance.agents.list({ status: 'awaiting_tool', limit: 100 })).data)
      if (!answered.has(id)) {
        answered.add(id);
        await world.control.answer(id, 'the Ada');
      }
};

test('an agent comes to its cap also where a limit closes at each look before all agents were looked at', async () => {
  const asks = 'Ask me which ship is meant.';
  const long = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(' ');
  const rows = Array.from({ length: 30 }, (_, at) => `${at},${asks}`);
  const items = await world.write('limited.csv', `id,text\n${rows.join('\n')}\nlast,${asks} ${long}\n`);
  const asked = async (name: string): Promise<number> =>
    (await world.control.requests()).rows.filter(({ operation, status }) => operation === `instance.agents.${name}` && status === 200)
      .length;
  const [stops, lists] = [await asked('stop'), await asked('list')];
  await world.control.limit('instance/standard', 12, 1);
  const run = await world.start(agentsPipeline(items, { prompt: '{{text}}', cap: { item: 0.002 } }));
  // A look lists three statuses, and has nine requests left.
  while ((await asked('stop')) === stops && (await asked('list')) < lists + 3 * 40);
  expect(await asked('stop')).toBe(stops + 1);
  await world.control.limit('instance/standard', 1_000_000, 1);
  const capped = () => world.store(run).readItems({ step: 'ask', status: 'capped' });
  let ended = await capped();
  while (ended.length === 0) ended = await capped();
  expect(ended.map(({ item }) => item)).toEqual(['last']);
  await world.portolan(['cancel', run]);
  await world.ended(run);
});

test.each(['total', 'run'])('a further prompt is sent only where what it may cost is left of cap.%s', async (name) => {
  const long = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(' ');
  const items = await world.write(`${name}.csv`, `id,text\n1,Ask me which ship is meant.\n2,Extract the emails of this note: ${long}\n`);
  const followUps = [{ prompt: 'Summarise in 1 sentence: It was dry.' }];
  const under = (most: number) =>
    world.effectsOf(async () => {
      const more = { prompt: '{{text}}', followUps, turns: 2, cap: { item: 0.001, [name]: most } };
      const run = await world.start(agentsPipeline(items, more));
      // The second one spends more than was set aside for it, before the first one has ended its turn.
      while ((await world.store(run).readItems({ step: 'ask', status: 'capped' })).length === 0);
      await answerNext(1);
      return (await world.ended(run)).view.outputs!['ask'] as Ended['outputs']['ask'];
    });
  // Of the cap less is left than the first one may cost yet.
  const little = await under(0.002);
  expect([little.value.statuses, sent(little.effects)]).toEqual([{ capped: 2 }, [2, 0]]);
  const enough = await under(1);
  expect([enough.value.statuses, sent(enough.effects)]).toEqual([{ done: 1, capped: 1 }, [2, 1]]);
});

test('what an agent in a further turn may cost is set aside by a rerun before anything is launched beside it', async () => {
  const late = '2,Nothing here.';
  const items = await world.write('turning.csv', `id,text\n${late}\n`);
  const followUps = [{ when: { says: 'No emails' }, prompt: 'Ask me which ship is meant.' }];
  const text = agentsPipeline(items, { followUps, stallSeconds: 1, cap: { item: 1, total: 1.5 } });
  const before = (await world.instance.agents.list({ limit: 1 })).data[0]?.id;
  const run = await world.start(text.replace('"stallSeconds":1', '"stallSeconds":3600'));
  for (let asks = false; !asks;) {
    const [newest] = (await world.instance.agents.list({ limit: 1 })).data;
    asks = newest !== undefined && newest.id !== before && newest.status === 'awaiting_tool';
  }
  await world.portolan(['cancel', run]);
  await world.ended(run);
  await world.write('turning.csv', `id,text\n1,Write to a@example.com.\n${late}\n`);
  const { effects } = await world.effectsOf(async () => world.portolan(['rerun', run, '--file', await world.pipeline(text), '--json']));
  expect(effects.map(({ operation }) => operation).filter((each) => /launch|stop/.test(each))).toEqual([
    'instance.agents.stop',
    'instance.agents.launch',
  ]);
});

/** Ends the budget of the organization while the newest agents, so many, wait for an answer, which they get then. */
const endBudgetOf = async (agents: number): Promise<void> => {
  const waiting = async () => (await world.instance.agents.list({ status: 'awaiting_tool', limit: 100 })).data;
  let found = await waiting();
  while (found.length < agents) found = await waiting();
  await world.control.contract({ amountCents: 1 });
  await world.control.spend({ run: `another-${found[0]!.id}`, nanoUsd: 10_000_000 });
  for (const { id } of found) await world.control.answer(id, 'the Ada');
};

const asking = { prompt: 'Ask me which ship is meant. Extract the emails of this note: {{text}}' };

test('agents that the budget has ended stop the run, whatever it tolerates, with what they have cost; a rerun goes on with them by a prompt', async () => {
  const items = await world.write('ended.csv', 'id,text\n1,Write to a@example.com.\n2,Write to b@example.com.\n');
  const text = agentsPipeline(items, { ...asking, turns: 1, cap: { item: 1, total: 5 } }).replace('100% }', '100%, failed: 100% }');
  const [stopped] = await Promise.all([world.effectsOf(() => world.run(text)), endBudgetOf(2)]);
  const { run, state, error } = stopped.value.result;
  expect([state, error?.type, sent(stopped.effects)]).toEqual(['failed', 'BudgetSpent', [2, 0]]);
  expect(error?.message).toContain('spend_limit_reached: the budget of the organization is exhausted');
  const spent = await world.store(run).readItems({ step: 'ask', status: 'spent' });
  expect(spent.map(({ item }) => item)).toEqual(['1', '2']);
  const rows = await rowsIn(world, run, world.store(run).path('results', 'ask', '*.parquet'));
  expect(rows.map(({ status, agent, cost_usd }) => [status, typeof agent, Number(cost_usd) > 0])).toEqual([
    ['spent', 'string', true],
    ['spent', 'string', true],
  ]);
  const why = (await world.portolan(['why', run])).out;
  expect([why.includes('wait for its renewal'), why.includes('portolan rerun'), why.includes('source file')]).toEqual([true, true, false]);

  // Without a budget it stops again in the same way, and nothing is sent.
  const still = await rerun(run);
  expect([still.code === 0, still.sent]).toEqual([false, [0, 0]]);
  expect((await world.store(still.last.run).readItems({ step: 'ask', status: 'spent' })).length).toBe(2);

  await world.control.contract({ amountCents: 1_000_000 });
  await world.control.fault('instance.agents.followup', 1, { lose: 'answer' });
  const [on] = await Promise.all([rerun(still.last.run), answerNext(2)]);
  expect([on.code, on.sent, on.last.outputs.ask.statuses]).toEqual([0, [0, 2], { done: 2 }]);
  const done = await rowsIn(world, on.last.run, on.last.outputs.ask.results);
  expect(done.map(({ agent, turns, text: said }) => [agent, turns, said.includes('1 emails: ')])).toEqual(
    rows.map(({ agent }) => [agent, 1, true]),
  );
  // What was paid before is in what it has cost.
  expect(done.every(({ cost_usd }, at) => Number(cost_usd) > Number(rows[at]!['cost_usd']))).toBe(true);
});

test('where the budget has ended before a further prompt the run stops, and a rerun sends it', async () => {
  const items = await world.write('unprompted.csv', 'id,text\n1,Nothing here.\n');
  const text = agentsPipeline(items, { followUps: [again], turns: 2 }).replace('100% }', '100%, failed: 100% }');
  const { id } = await world.control.fault('instance.agents.followup', 1, { hold: 'before' });
  const end = async (): Promise<void> => {
    expect(await world.control.held(id)).toBe(true);
    await world.control.contract({ amountCents: 1 });
    await world.control.spend({ run: 'before-a-prompt', nanoUsd: 10_000_000 });
    await world.control.release(id);
  };
  const [stopped] = await Promise.all([world.effectsOf(() => world.run(text)), end()]);
  await world.control.contract({ amountCents: 1_000_000 });
  const { run, state, error } = stopped.value.result;
  expect([state, error?.type, sent(stopped.effects)]).toEqual(['failed', 'BudgetSpent', [1, 0]]);
  const on = await rerun(run);
  expect([on.code, on.sent, on.last.outputs.ask.statuses]).toEqual([0, [0, 1], { done: 1 }]);
});

test('an agent that has ended by the budget lets no other one be launched, and the run that has prompted it sends it nothing more', async () => {
  // The second one waits for what the first one has set aside.
  const items = await world.write('beside-spent.csv', 'id,text\n1,Write to a@example.com.\n2,Write to b@example.com.\n');
  const { value, effects } = await world.effectsOf(async () => {
    const run = await world.start(agentsPipeline(items, { ...asking, cap: { item: 1, total: 1.5 } }));
    const { id } = await world.control.fault('instance.agents.conversation', 1, { hold: 'before' });
    await endBudgetOf(1);
    // By the time that its end is looked at there is a budget again.
    expect(await world.control.held(id)).toBe(true);
    await world.control.contract({ amountCents: 1_000_000 });
    await world.control.release(id);
    return { run, ...(await world.ended(run)) };
  });
  expect(value.view).toMatchObject({ state: 'failed', error: { type: 'BudgetSpent' } });
  expect(sent(effects)).toEqual([1, 0]);
  expect((await world.store(value.run).readItems({ step: 'ask' })).map(({ item, status }) => [item, status])).toEqual([['1', 'spent']]);
});

test('a step that the budget has ended leaves nothing that others wait for which share its cap of the run', async () => {
  const items = await world.write('shared-spent.csv', 'id,text\n1,Write to a@example.com.\n');
  const asked = { items, key: 'id', ...again, everySeconds: 0.25, cap: { item: 1, run: 1.5 } };
  const step = `{ use: agent.run, onError: tolerate, with: ${JSON.stringify(asked)} }`;
  const { id } = await world.control.fault('instance.agents.launch', 1, { hold: 'before' });
  const { value, effects } = await world.effectsOf(async () => {
    const run = await world.start(`name: shared\nsteps:\n  one: ${step}\n  two: ${step}\n`);
    expect(await world.control.held(id)).toBe(true);
    await world.control.contract({ amountCents: 1 });
    await world.control.spend({ run: 'before-both', nanoUsd: 10_000_000 });
    await world.control.release(id);
    return world.ended(run);
  });
  await world.control.contract({ amountCents: 1_000_000 });
  expect([value.view.state, value.view.steps.map(({ status }) => status)]).toEqual(['done', ['tolerated', 'tolerated']]);
  expect(sent(effects)).toEqual([0, 0]);
});

test('a step whose time is over leaves nothing that others wait for which share its cap of the run', async () => {
  const items = await world.write('shared-late.csv', 'id,text\n1,a\n');
  const asks = { items, key: 'id', prompt: 'Ask me which ship is meant.', everySeconds: 0.25, cap: { item: 1, run: 1.5 } };
  const step = (more: string): string => `{ use: agent.run, ${more}, with: ${JSON.stringify(asks)} }`;
  const first = `name: shared\nsteps:\n  one: ${step('timeout: 30s, onError: tolerate')}\n`;
  const { id } = await world.control.fault('instance.budgets.get', 1, { hold: 'before' });
  const { value, effects } = await world.effectsOf(async () => {
    const look = '{ use: api.call, with: { operation: instance.budgets.get, input: { id: organization } } }';
    const run = await world.start(`${first}  look: ${look}\n  two: ${step('needs: [look], timeout: 5m, tolerate: { capped: 100% }')}\n`);
    while ((await world.instance.agents.list({ status: 'awaiting_tool' })).data.length === 0);
    expect(await world.control.held(id)).toBe(true);
    await world.control.release(id);
    return world.ended(run);
  });
  expect(value.view.steps.map((each) => [each.id, each.status])).toEqual([
    ['one', 'tolerated'],
    ['look', 'done'],
    ['two', 'done'],
  ]);
  expect(sent(effects)).toEqual([1, 0]);
});

test('launches that the budget refuses end the step by the budget, and of none of the items nothing is known', async () => {
  const items = await world.write('refused.csv', 'id,text\n1,Write to a@example.com.\n2,Write to b@example.com.\n');
  await world.control.contract({ amountCents: 1 });
  await world.control.spend({ run: 'before-a-launch', nanoUsd: 10_000_000 });
  const { value, effects } = await world.effectsOf(() => world.run(agentsPipeline(items)));
  await world.control.contract({ amountCents: 1_000_000 });
  const { run, state, error } = value.result;
  expect([state, error?.type, sent(effects)]).toEqual(['failed', 'BudgetSpent', [0, 0]]);
  expect(error?.message).toContain('spend_limit_reached');
  expect(await world.store(run).readItems({ step: 'ask' })).toEqual([]);
  expect((await rerun(run)).sent).toEqual([2, 0]);
});

test('agents that go on are said to: while they wait for an answer, and when their run is cancelled', async () => {
  const items = await world.write('going-on.csv', 'id,text\n1,Write to a@example.com.\n');
  const run = await world.start(agentsPipeline(items, asking));
  await world.until(run, ({ pending }) => JSON.stringify(pending).includes('1 wait for an answer'));
  expect(await world.portolan(['cancel', run])).toMatchObject({ code: 0 });
  await world.ended(run);
  const [asked] = (await world.instance.agents.list({ status: 'awaiting_tool', limit: 1 })).data;
  expect(await world.store(run).readItems({ step: 'ask' })).toMatchObject([
    { item: '1', status: 'running', reason: `agent ${asked!.id} goes on, and so does a rerun with it` },
  ]);
});
