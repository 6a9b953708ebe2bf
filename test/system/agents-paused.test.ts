import { beforeAll, expect, test } from 'vitest';
import { agentsPipeline, countOf } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

const waiting = async () => (await world.instance.agents.list({ status: 'awaiting_tool', limit: 100 })).data;

test('a run that is paused while it looks at its agents, which have not ended, goes on when it is resumed', async () => {
  const items = await world.write('ships.csv', 'id,text\n1,Ask me which ship is meant.\n2,Ask me which ship is meant.\n');
  const { value: run, effects } = await world.effectsOf(async () => {
    const started = await world.start(agentsPipeline(items, { prompt: '{{text}}' }));
    let found = await waiting();
    while (found.length < 2) found = await waiting();
    // The look that is under way learns of the pause after it has found that there is nothing new.
    const { id } = await world.control.fault('instance.agents.list', 1, { hold: 'before' });
    expect(await world.control.held(id)).toBe(true);
    expect((await world.portolan(['pause', started])).code).toBe(0);
    const asked = async () => (await world.events(started)).some((event) => event.activityTaskCancelRequestedEventAttributes);
    while (!(await asked()));
    await world.control.release(id);
    await world.until(started, ({ view }) => view.state !== 'running');
    for (const each of found) await world.control.answer(each.id, 'the Ada');
    const resumed = await world.portolan(['resume', started]);
    expect([resumed.code, resumed.err]).toEqual([0, '']);
    return started;
  });
  const { view } = await world.ended(run);
  expect([view.state, view.outputs]).toEqual(['done', { ask: expect.objectContaining({ statuses: { done: 2 } }) }]);
  expect(countOf(effects, 'instance.agents.launch')).toBe(2);
});
