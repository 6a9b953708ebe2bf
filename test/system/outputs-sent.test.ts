import { expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';
import { giveSays } from './support-says.ts';

const long = 50_000;

const below = `
name: below
params: { text: { type: string } }
steps:
  say: { use: acme.says, with: { word: cat, file: said.txt } }
outputs: { text: "\${{ params.text + params.text }}" }
`;
const above = `
name: above
params: { long: { type: string, default: ${'x'.repeat(long)} } }
steps:
  one: { use: ./below.yaml, with: { text: ${'y'.repeat(3_000)} } }
outputs: { length: "\${{ size(steps.one.text) + size(params.long) }}" }
`;

// Many runs may end in one workflow task, whose commands are no longer than 4 MiB together.
test("what keeps the outputs of a step's run is not sent with the parameters of the run above it", async () => {
  await using world = await createWorld();
  await giveSays(world);
  await world.write('pipelines/below.yaml', below);
  const run = await world.start(above);
  expect((await world.ended(run)).view).toMatchObject({ state: 'done', outputs: { length: 6_000 + long } });
  const [history] = await world.histories(run);
  const sent = history!.events!.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    /one.*\/outputs$/.test(scheduled?.activityId ?? '') ? JSON.stringify(scheduled!.input).length : [],
  );
  expect(sent).toHaveLength(1);
  expect(sent[0]).toBeLessThan(long);
});
