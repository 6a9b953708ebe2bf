import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, pageText } from '../support/pages/blocks.ts';
import { createPlaces, packAndInstall, type Package } from '../support/pages/places.ts';
import { runPage } from '../support/pages/run-page.ts';

let made: Package;
beforeAll(async () => {
  made = await packAndInstall();
});
afterAll(() => made[Symbol.asyncDispose]());

test('the tutorial does word by word what it says, from npm install to dev --stop, and prints what it shows', async () => {
  await using places = await createPlaces(made);
  const blocks = blocksOf(pageText('docs/tutorial.md'), 'docs/tutorial.md');
  const outcomes = await runPage(blocks, places.open);
  expect(outcomes.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
  expect(outcomes.map(({ line }) => line)).toEqual(
    blocks.filter(({ language, file }) => language === 'sh' && !file).map(({ line }) => line),
  );
});
