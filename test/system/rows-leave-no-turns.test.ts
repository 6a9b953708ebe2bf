import { existsSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { namesTable } from './support-posts.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

beforeAll(async () => {
  await world.write(
    'steps/once.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.once',
  input: z.strictObject({ name: z.string() }),
  output: z.object({}),
  effect: 'never',
  run: () => ({}),
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});

const pipeline = (over: string, name: string): string => `
name: once
steps:
  all:
    forEach: { ${over}, as: one }
    steps: { ask: { use: acme.once, with: { name: "\${{ ${name} }}" } } }
outputs: { done: "\${{ steps.all.done }}" }
`;

test('a loop over items keeps which turn is of which; one over rows, which have names, leaves no file for each', async () => {
  const turnsOf = async (over: string, name: string): Promise<boolean> => {
    const { result } = await world.run(pipeline(over, name));
    expect(result.error).toBe(undefined);
    return existsSync(world.store(result.run).path('turns'));
  };
  expect(await turnsOf('items: [ant, bee]', 'one')).toBe(true);
  expect(await turnsOf(`rows: ${await namesTable(world, ['ant', 'bee'])}`, 'one.name')).toBe(false);
});
