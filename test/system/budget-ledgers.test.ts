import { beforeAll, expect, test } from 'vitest';
import { rowsIn } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

test('a table of runs says whose those are that the key lists, where nobody says whose key it is', async () => {
  const text = `Extract the emails: ada@example.com ${'and many more words '.repeat(2_000)}`;
  const { agents, budgets } = world.instance;
  const { id } = await agents.launch({ prompt: { text } });
  for (let status = 'waiting'; status !== 'finished';) ({ status } = await agents.get({ id }));
  const spender = (await budgets.members({ id: 'organization' })).data.find(({ spentCents }) => spentCents > 0)!;
  const runs = await world.write('runs.csv', `agent,member\n${id},${spender.email}\n`);
  const { run, state, error, outputs } = (
    await world.run(`
name: ledger
steps:
  ledger: { use: budgets.ledger, with: { runs: ${JSON.stringify(runs)} } }
outputs: { ledger: "\${{ steps.ledger }}" }
`)
  ).result;
  expect([state, error]).toEqual(['done', undefined]);
  const rows = await rowsIn(world, run, outputs['ledger'].results as string);
  expect(rows.filter(({ kind }) => kind === 'run').map((row) => [row['run'], row['member']])).toEqual([[id, spender.id]]);
});
