import { expect, test } from 'vitest';
import { formatForecast, type ForecastTexts } from '../../cli/render/forecast.ts';
import { createPaint } from '../../cli/render/paint.ts';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import type { DatasetFacts, PlannedCalls } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { ownStep, planOf } from '../pipelines/support.ts';
import { z } from 'zod';

const texts: ForecastTexts = { paint: createPaint(false), columns: 200, connections: 'maps: local', hosted: false };

/** The time of each line of a plan, by its first word; without the spaces before it. */
const timesOf = (shown: string): Record<string, string> =>
  Object.fromEntries(
    shown
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => [line.trim().split(/ +/)[0]!, line.split(/ {2,}/).at(-1)!]),
  );

const books = `
name: books
steps:
  dataset: { use: dataset.ensure, with: { slug: books } }
  map: { use: index.build, with: { dataset: "\${{ steps.dataset.id }}", embed: text } }
`;

const shownOf = (dataset: DatasetFacts): Record<string, string> => {
  const steps = withOwn([]);
  return timesOf(
    formatForecast(forecast(planOf(books), steps, { table: () => undefined, datasets: new Map([['dataset', dataset]]) }), texts),
  );
};

test('the time of what may not have to be done is no bound from below: it is an estimate of the most', () => {
  expect(shownOf({ exists: true, id: 'e5d3c1b2-0000-4000-8000-000000000001', rows: 6_000 })).toEqual({
    step: 'time',
    dataset: '-',
    map: '≤ about 41 s (estimate)',
    total: '≤ about 41 s (estimate)',
  });
});

test('a time under a published limit is a bound from below, by the fewest calls, and is rounded down', () => {
  const embed = (calls: PlannedCalls) => {
    const step = { ...ownStep({ name: 'acme.embed', input: z.strictObject({}), output: z.object({}), effect: 'safe', run: () => ({}) }) };
    const table = { 'acme.embed': { ...step, forecast: () => ({ does: 'embed', calls: [calls], seconds: 3 }) } };
    const plan = planOf('name: a\nsteps:\n  a: { use: acme.embed }\n', { steps: table });
    return timesOf(formatForecast(forecast(plan, table, { table: () => undefined }), texts));
  };
  // 1,200 in 300 seconds: 25 windows behind the first are a little more than two hours.
  expect(embed({ operation: 'maps.embedding.text', min: 1_201, max: 30_000 })).toMatchObject({ a: '≥ 5 min', total: '≥ 5 min' });
  expect(embed({ operation: 'maps.embedding.text', min: 31_000, max: 31_000 })).toMatchObject({ a: '≥ 2.0 h', total: '≥ 2.0 h' });
  expect(embed({ operation: 'maps.embedding.text', min: 0, max: 30_000 })).toMatchObject({ a: 'about 3 s (estimate)' });
});
