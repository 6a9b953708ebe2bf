import { beforeAll, expect, test } from 'vitest';
import { isKept } from '../../pipelines/kept.ts';
import type { World } from '../support/world.ts';
import { useWorld } from './support.ts';
import { impatientWorld } from './support-impatient.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

const echo = `import { defineStep, z } from ${JSON.stringify(api)};
const words = z.strictObject({ word: z.string(), all: z.array(z.string()).optional() });
export default defineStep({ name: 'acme.echo', input: words, output: words, effect: 'safe', run: (given) => given });
`;
const long = `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({ name: 'acme.long', input: z.strictObject({}), output: z.object({ word: z.string() }), effect: 'safe',
  run: () => ({ word: 'x'.repeat(3_900) }) });
`;
const wait = `import { definePoll, z } from ${JSON.stringify(api)};
export default definePoll({
  name: 'acme.wait', input: z.strictObject({ word: z.string() }), output: z.strictObject({}), effect: 'safe',
  start: () => ({}),
  check: () => ({ againSeconds: 3_000 }),
});
`;
const stepsOf = async ({ write, worker }: World): Promise<void> => {
  await write('steps/echo.mts', echo);
  await write('steps/long.mts', long);
  await write('steps/wait.mts', wait);
  await worker.stop();
  await worker.start(0);
};
beforeAll(() => stepsOf(world));

/** Of so many values, each short enough for the history, all together are longer than the server takes. */
const count = 560;
const word = 'x'.repeat(3_900);
const numbers = Array.from({ length: count }, (_, at) => at);

test('a run ends whose steps gave more than the server takes at once; what no worker can be handed is an error of its step', async () => {
  const { result } = await world.run(`name: much
steps:
${numbers.map((at) => `  s${at}: { use: acme.long }`).join('\n')}
  all:
    use: acme.echo
    with: { word: all, all: [${numbers.map((at) => `"\${{ string(steps.s${at}.word.size() + 1000000) }}"`).join(', ')}] }
    onError: { input: tolerate }
outputs: { last: "\${{ steps.s${count - 1}.word }}" }
`);
  expect(result).toMatchObject({ state: 'done', outputs: { last: word } });
  const { view } = await world.ended(result.run);
  expect(view.steps.filter(({ output }) => isKept(output))).toHaveLength(count);
  expect(view.steps.at(-1)).toMatchObject({
    status: 'tolerated',
    error: {
      type: 'BadInput',
      message: expect.stringMatching(/^with: what it reads of other steps comes to 2,\d{3},\d{3} bytes, and at most 2,000,000/),
    },
  });
});

test('a run that is too long to continue as new says so, and does what stands under finally', async () => {
  await using made = await impatientWorld();
  await stepsOf(made.world);
  const { code, result } = await made.world.run(`name: waiting
steps:
  s0: { use: acme.echo, with: { word: ${word} } }
${numbers.map((at) => `  w${at}: { use: acme.wait, with: { word: "\${{ steps.s0.word }}" } }`).join('\n')}
finally:
  end: { use: acme.echo, with: { word: end } }
`);
  expect([code, result.state]).toEqual([1, 'failed']);
  expect(result.error).toMatchObject({ type: 'BadInput', message: expect.stringContaining('longer than 2,000,000 bytes') });
  const { view } = await made.world.ended(result.run);
  expect(view.steps.find(({ id }) => id === 'end')).toMatchObject({ status: 'done' });
});
