import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

const step = (): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.titles',
  input: z.strictObject({ title: z.string() }),
  output: z.object({}),
  effect: 'idempotent',
  async run({ title }) {
    // The title is cut in the middle of a character.
    throw new Error('bad title: ' + title.slice(0, 6));
  },
});
`;

beforeAll(async () => {
  await world.write('steps/titles.mts', step());
  await world.worker.stop();
  await world.worker.start(0);
});

test('an error whose message was cut in the middle of a character fails its step', async () => {
  const id = await world.start(`
name: titles
steps:
  look: { use: acme.titles, with: { title: "Film 🎬 night" } }
`);
  expect(await world.ended(id)).toMatchObject({ view: { state: 'failed', error: { step: 'look' } } });
});
