import { expect, test } from 'vitest';
import { useWorld } from './support.ts';

const world = useWorld();

const user = 'user: { use: api.call, needs: [ask], with: { operation: maps.user.get, input: {} } }';

test.for([
  ['approve', '', 'done'],
  ['reject', '', 'failed'],
  ['reject', user, 'failed'],
] as const)('who decides the gate that ends its turn learns that the decision was taken: %s, %s', async ([verb, behind, state]) => {
  const run = await world.start(`name: gated
steps:
  review:
    forEach: { items: [one, two] }
    steps:
      ask: { use: gate.approve, with: { show: "\${{ item }}" } }
      ${behind}
`);
  await world.until(run, ({ view }) => view.steps.filter(({ status }) => status === 'approval').length === 2);
  const first = await world.portolan([verb, run, 'review[0].ask', '--as', 'ada']);
  expect([first.code, first.err]).toEqual([0, '']);
  if (verb === 'approve') expect(await world.portolan([verb, run, 'review[1].ask'])).toMatchObject({ code: 0 });
  // A gate whose turn is over takes no second decision.
  expect(await world.portolan(['approve', run, 'review[0].ask'])).toMatchObject({ code: expect.not.toBeOneOf([0]) });
  expect((await world.ended(run)).view.state).toBe(state);
});
