import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { agentsPipeline, rowsIn } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

test('what sub-agents have made is kept below the folder of their item, with what they have said; one that was deleted is left out', async () => {
  const files = await Promise.all(
    ['orders', 'returns', 'gone'].map((name, at) => world.write(`${name}.csv`, `order,status\n${at},open\n${at + 1},paid\n`)),
  );
  const items = await world.write('delegated.csv', `id,a,b,c\n1,${files.join(',')}\n`);
  const asked = { files: ['a', 'b', 'c'], prompt: 'Count the orders by status. Use sub-agents for each file.', exports: ['csv'] };
  // The one that is looked for last is deleted before it is read.
  const { id } = await world.control.fault('instance.agents.artifact', 1, { hold: 'before' });
  const remove = async (): Promise<string[]> => {
    expect(await world.control.held(id)).toBe(true);
    const [newest] = (await world.instance.agents.list({ limit: 1 })).data;
    const { messages } = await world.instance.agents.conversation({ id: newest!.id, include: ['steps'] });
    const subs = messages.flatMap(({ subAgentIds }) => subAgentIds ?? []);
    await world.instance.agents.remove({ id: subs[2]! });
    await world.control.release(id);
    return subs;
  };
  const [{ result }, subs] = await Promise.all([world.run(agentsPipeline(items, asked)), remove()]);
  expect(result.state).toBe('done');
  const [row] = await rowsIn(world, result.run, result.outputs['ask'].results as string);
  expect(row).toMatchObject({ status: 'done', artifacts: 2 });
  const below = join(row!['folder'] as string, 'sub-agents');
  expect((await readdir(below)).sort()).toEqual([`01-${subs[0]}`, `02-${subs[1]}`]);
  for (const [at, name] of ['orders', 'returns'].entries()) {
    const folder = join(below, `0${at + 1}-${subs[at]}`);
    expect((await readdir(folder)).sort()).toEqual(['agent.json', 'artifacts', 'conversation.json']);
    // The name of the file stands behind what its bytes alone have.
    const [table] = (await readdir(join(folder, 'artifacts'))).filter((each) => each.endsWith('.csv'));
    expect(table).toMatch(new RegExp(`^01-[0-9a-f]{12}-${name}\\.csv-count-by-status-v1\\.csv$`));
    expect(await readFile(join(folder, 'artifacts', table!), 'utf8')).toBe('status,count\nopen,1\npaid,1\n');
    expect(JSON.parse(await readFile(join(folder, 'agent.json'), 'utf8'))).toMatchObject({ id: subs[at], parentSessionId: row!['agent'] });
  }
});
