import { beforeAll, expect, test } from 'vitest';
import { agentsPipeline, countOf, rowsIn } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

/** The one row of a step that has failed, which the run tolerates. */
async function failedRow(text: string): Promise<{ run: string; row: Record<string, any> }> {
  const { run, state, outputs } = (await world.run(text.replace('100% }', '100%, failed: 100% }'))).result;
  expect([state, outputs['ask'].statuses]).toEqual(['done', { failed: 1 }]);
  const [row] = await rowsIn(world, run, outputs['ask'].results as string);
  return { run, row: row! };
}

/** What a rerun of what has failed says of the items, and how many agents it has launched. */
async function rerun(run: string): Promise<{ statuses: object; launched: number }> {
  const { value, effects } = await world.effectsOf(() => world.portolan(['rerun', run, '--failed-only', '--json']));
  const last = JSON.parse(value.out.trim().split('\n').at(-1)!) as { outputs: { ask: { statuses: object } } };
  return { statuses: last.outputs.ask.statuses, launched: countOf(effects, 'instance.agents.launch') };
}

test('an artifact that is not there makes no agent one that was deleted: its row has it with what it has cost, and a rerun goes on with it', async () => {
  const orders = await world.write('orders.csv', 'order,status\n1,open\n2,paid\n');
  const items = await world.write('missing.csv', `id,file\n1,${orders}\n`);
  await world.control.fault('instance.agents.artifact', 1, { status: 404 });
  const { run, row } = await failedRow(agentsPipeline(items, { files: ['file'], prompt: 'Count the orders by status.' }));
  expect(row).toMatchObject({ agent: expect.any(String), folder: null });
  expect(Number(row['cost_usd'])).toBeGreaterThan(0);
  expect(await rerun(run)).toEqual({ statuses: { done: 1 }, launched: 0 });
});

test('an agent whose conversation cannot be fetched has cost what it has', async () => {
  const items = await world.write('unsaid.csv', 'id,text\n1,Write to a@example.com.\n');
  await world.control.fault('instance.agents.conversation', 1, { status: 410 });
  const { row } = await failedRow(agentsPipeline(items));
  expect(row).toMatchObject({ agent: expect.any(String), text: null });
  expect(Number(row['cost_usd'])).toBeGreaterThan(0);
});

test('an agent that is deleted while its answers are fetched is gone, and a rerun launches another one', async () => {
  const items = await world.write('deleted.csv', 'id,text\n1,Write to a@example.com.\n');
  const { id } = await world.control.fault('instance.agents.conversation', 1, { hold: 'before' });
  const remove = async (): Promise<string> => {
    expect(await world.control.held(id)).toBe(true);
    const [newest] = (await world.instance.agents.list({ limit: 1 })).data;
    await world.instance.agents.remove({ id: newest!.id });
    await world.control.release(id);
    return newest!.id;
  };
  const [{ run, row }, agent] = await Promise.all([failedRow(agentsPipeline(items)), remove()]);
  expect(row).toMatchObject({ agent });
  expect(Number(row['cost_usd'])).toBeGreaterThan(0);
  expect(await rerun(run)).toEqual({ statuses: { done: 1 }, launched: 1 });
});
