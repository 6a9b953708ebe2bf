import { beforeAll, expect, test } from 'vitest';
import { clientProcess } from '../../client/refusals-read.ts';
import { agentsPipeline, countOf } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

const table = (name: string, rows: number): Promise<string> =>
  world.write(name, `id,text\n${Array.from({ length: rows }, (_, at) => `${at},Note ${at}.`).join('\n')}\n`);

/** Waits until so many agents have ended. */
const ended = (count: number): Promise<void> =>
  expect.poll(async () => (await world.instance.agents.list({ limit: 100, status: 'finished' })).data.length).toBe(count);

const launched = 'instance.agents.launch';

test('launches whose answers are lost together are looked up in two lists, and the conversation of each agent is read once', async () => {
  await world.control.fault(launched, 1, { lose: 'answer' }, 8);
  // The first list is that of agents that were there before.
  const first = await world.control.fault('instance.agents.list', 2, { hold: 'before' });
  const items = await table('eight.csv', 8);
  const { value, effects } = await world.effectsOf(async () => {
    const run = world.run(agentsPipeline(items));
    expect(await world.control.held(first.id)).toBe(true);
    // So that the agents are looked at once more, and have all ended then.
    await ended(8);
    await world.control.release(first.id);
    return run;
  });
  expect([value.result.outputs['ask'].done, countOf(effects, launched)]).toEqual([8, 8]);
  const asked = (await world.control.requests()).rows.filter(({ process }) => process !== clientProcess);
  // That of before, the held one and one or two for whoever asked meanwhile, three of agents that have not ended.
  expect(countOf(asked, 'instance.agents.list')).toBeLessThanOrEqual(7);
  // For the mark, and when it has ended.
  expect(countOf(asked, 'instance.agents.conversation')).toBe(16);
});

test('a launch is not looked up in a list that was begun before it: there it is missing, and it would be sent again', async () => {
  const before = (await world.instance.agents.list({ limit: 100, status: 'finished' })).data.length;
  await world.control.fault(launched, 1, { lose: 'answer' }, 2);
  const list = await world.control.fault('instance.agents.list', 2, { hold: 'after' });
  const items = await table('one.csv', 1);
  const { value, effects } = await world.effectsOf(async () => {
    const one = world.run(agentsPipeline(items));
    expect(await world.control.held(list.id)).toBe(true);
    const other = world.run(agentsPipeline(items));
    await ended(before + 2);
    await world.control.release(list.id);
    return Promise.all([one, other]);
  });
  expect(value.map(({ result }) => result.outputs['ask'].done)).toEqual([1, 1]);
  expect(countOf(effects, launched)).toBe(2);
});
