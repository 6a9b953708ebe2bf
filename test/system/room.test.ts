import { expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';

const turns = 45;

const long = `
name: long
params: { n: { type: integer } }
steps:
  ask: { use: gate.approve, with: { show: "\${{ params.n }} ${'x'.repeat(50_000)}", expires: 1h } }
`;
const many = `
name: many
steps:
  each:
    forEach: { items: [${Array.from({ length: turns }, (_, at) => at).join(', ')}], as: n, parallel: ${turns} }
    steps: { one: { use: ./long.yaml, with: { n: "\${{ n }}" } } }
outputs: { begun: "\${{ steps.each.done }}" }
`;

// The files of so many runs are longer together than what a workflow task may send; none of them ends by itself.
test('runs of a long file all begin, though one task cannot send them and nothing ends meanwhile', async () => {
  await using world = await createWorld();
  await world.write('pipelines/long.yaml', long);
  const run = await world.start(many);
  const { view } = await world.until(run, ({ view: { steps } }) => steps.filter(({ child }) => child?.asks.length === 1).length === turns);
  expect(view.state).toBe('approval');
  const [history] = await world.histories(run);
  const tasks = new Set(
    history!.events!.flatMap(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: begun }) => begun?.workflowTaskCompletedEventId?.toString() ?? [],
    ),
  );
  expect(tasks.size).toBeGreaterThan(1);
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
});
