import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What a step fails with whose expressions have made this of its input. */
const failure = async (use: string, input: unknown): Promise<unknown> => {
  const { value, calls } = await world.callsOf(() =>
    world
      .newRun()
      .step(use, input)
      .catch((error: unknown) => error),
  );
  expect(calls).toEqual([]);
  return value;
};

test('what expressions have made of a field is held to its rule, in the words of validate, with the value', async () => {
  expect(await failure('dataset.ensure', { slug: 'sea-North Sea' })).toMatchObject({
    type: 'BadInput',
    message: '\'slug\': a slug: lower-case letters, digits and single hyphens; slug is "sea-North Sea" in this run',
    nonRetryable: true,
  });
  expect(await failure('dataset.ensure', { slug: 7 })).toMatchObject({
    type: 'BadInput',
    message: "'slug' is 7, expected a slug: lower-case letters, digits and single hyphens",
  });
});

test('a text that looks like an expression is one no more, and a long one is cut', async () => {
  expect(await failure('dataset.ensure', { slug: `\${{ ${'x'.repeat(100)} }}` })).toMatchObject({
    type: 'BadInput',
    message: expect.stringMatching(/^'slug': a slug: .*; slug is "\$\{\{ x{75} … in this run$/),
  });
});
