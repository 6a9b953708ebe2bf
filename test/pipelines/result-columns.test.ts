import { expect, test } from 'vitest';
import { z } from 'zod';
import { toSweep } from '../../pipelines/own/sweep.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { findings } from './support.ts';

const score = toSweep({
  file: '/project/steps/score.mts',
  version: '1',
  code: {
    name: 'acme.score',
    input: z.object({}),
    effect: 'safe',
    result: z.object({ text: z.string(), score: z.number() }),
    items: () => [],
    each: () => ({ result: { text: '', score: 0 } }),
  },
});

const found = (id: string, text: string): object[] =>
  findings(
    `name: scores
steps:
  score: { use: acme.score }
  dataset: { use: dataset.ensure, with: { slug: a } }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: \${{ steps.score.results }}
      id: { column: ${id} }
      columns:
        text: ${text}
`,
    { steps: withOwn([score]) },
  );

test.each(['text', 'Score', "text || '!'", '"true"', 'length(text)', 'item'])(
  'rows of an own sweep give %s, as they do the name of the item',
  (text) => {
    expect(found('item', text)).toEqual([]);
    expect(found('text', text)).toEqual([]);
  },
);

test('a column that the results of an own sweep lack is found in its line, with the one that was meant', () => {
  expect(found('item', 'texts')).toMatchObject([
    {
      code: 'no-such-column',
      line: 12,
      message: "the results of steps.score lack the column 'texts'; there are item, text, score",
      corrected: '        text: text',
    },
  ]);
  expect(found('id', 'text')).toMatchObject([{ code: 'no-such-column', line: 10, corrected: '      id: { column: item }' }]);
  expect(found('item', 'points')).toMatchObject([{ line: 12, remedy: 'take one of these, or add points to the result of acme.score' }]);
});
