import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

test('a step that the budget has ended and that waits for its next try leaves nothing that others wait for which share its cap of the run', async () => {
  const items = await world.write('shared-again.csv', 'id,text\n1,Write to a@example.com.\n');
  const asked = { items, key: 'id', prompt: 'Extract the emails: {{text}}', everySeconds: 0.25, cap: { item: 1, run: 1.5 } };
  const step = `{ use: agent.run, onError: { else: { retry: 1, every: 30d } }, with: ${JSON.stringify(asked)} }`;
  const { id } = await world.control.fault('instance.agents.launch', 1, { hold: 'before' });
  const run = await world.start(`name: shared\nsteps:\n  one: ${step}\n  two: ${step}\n`);
  expect(await world.control.held(id)).toBe(true);
  await world.control.contract({ amountCents: 1 });
  await world.control.spend({ run: 'before-both', nanoUsd: 10_000_000 });
  await world.control.release(id);
  await world.until(run, ({ view }) => view.steps.every(({ retries }) => retries?.at !== undefined));
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
});
