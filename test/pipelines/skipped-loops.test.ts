import { expect, test } from 'vitest';
import { forecast, type Forecast } from '../../pipelines/forecast/forecast.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { planOf, wipe } from './support.ts';

const list = 'use: api.call, with: { operation: maps.projects.list, input: {} }';

const forecastOf = (body: string): Forecast =>
  forecast(planOf(`name: p\nsteps:\n  d: { use: dataset.ensure, with: { slug: films } }\n${body}`), steps, { table: () => undefined });

const callsOf = (plan: Forecast): unknown => plan.steps.find(({ id }) => id === 'inner')!.calls;

/** A loop over two items, with a condition of its own. */
const loop = (more: string, inner = `inner: { ${list} }`): string =>
  `  each:\n    forEach: { items: [a, b] }\n    ${more}\n    steps:\n      ${inner}\n`;

const twice = (because: string) => [{ operation: 'maps.projects.list', min: 0, max: 2, because }];

test('what stands in a loop that its `when` may skip is counted from nothing on, with the reason', () => {
  const always = forecastOf(loop('needs: [d]'));
  expect(callsOf(always)).toEqual([{ operation: 'maps.projects.list', min: 2, max: 2 }]);
  const maybe = forecastOf(loop('when: "${{ steps.d.created }}"'));
  expect(callsOf(maybe)).toEqual(twice('where the `when` of each gives true'));
  expect(maybe.totals.reads[0]).toBe(always.totals.reads[0] - 2);
  expect(maybe.totals.reads[1]).toBe(always.totals.reads[1]);
});

test('what stands in a loop that its needs may skip, or that is done about a failure, is counted from nothing on', () => {
  const needing = `  first: { ${list}, when: "\${{ steps.d.created }}" }\n${loop('needs: [first]')}`;
  expect(callsOf(forecastOf(needing))).toEqual(twice('where the needs of each end as it accepts'));
  const about = `  first:\n    ${list.replace(', ', '\n    ')}\n    onError:\n      else:\n        steps:\n${loop('needs: []').replaceAll(/^/gm, '        ').trimEnd()}\n`;
  expect(callsOf(forecastOf(about))).toEqual(twice('where first fails'));
});

test('a loop in a loop hands on the conditions of both, beside those of the step itself', () => {
  const inner = `more:\n        forEach: { items: [a] }\n        when: "\${{ item == 'a' }}"\n        steps:\n          inner: { ${list}, when: "\${{ item == 'b' }}" }`;
  expect(callsOf(forecastOf(loop('when: "${{ steps.d.created }}"', inner)))).toEqual(
    twice('where its `when` gives true; where the `when` of more gives true; where the `when` of each gives true'),
  );
});

test('what cannot be taken back in a loop that may be skipped is done perhaps', () => {
  const own = { ...steps, [wipe.name]: wipe };
  const acts = (when: string) =>
    forecast(
      planOf(
        `name: p\nsteps:\n  d: { use: dataset.ensure, with: { slug: films } }\n  ok: { use: gate.approve }\n${loop(`needs: [ok, d]${when}`, 'gone: { use: acme.wipe }')}`,
      ),
      own,
      { table: () => undefined },
    ).irreversible;
  expect(acts('')).toMatchObject([{ step: 'gone', gate: 'ok', most: 2 }]);
  expect(acts('')[0]).not.toHaveProperty('perhaps');
  expect(acts('\n    when: "${{ steps.d.created }}"')).toMatchObject([{ step: 'gone', gate: 'ok', most: 2, perhaps: true }]);
});

test('the least cost of what stands in a loop that may be skipped is nothing', () => {
  const agents = 'ask: { use: agent.run, with: { items: a.csv, prompt: "read {{text}}", cap: { item: 1 } } }';
  const table = { rows: 10, bytes: 100, sent: 10, shards: 1, arrowBytes: [100, 100] satisfies [number, number] };
  const cost = (more: string) =>
    forecast(planOf(`name: p\nsteps:\n  d: { use: dataset.ensure, with: { slug: films } }\n${loop(more, agents)}`), steps, {
      table: (id) => (id === 'ask' ? table : undefined),
      spent: new Map([['ask', { agents: 5, least: 0.25, most: 0.5 }]]),
    }).steps.find(({ id }) => id === 'ask')!.cost;
  expect(cost('needs: [d]')).toMatchObject({ min: 5, max: 10 });
  expect(cost('when: "${{ steps.d.created }}"')).toMatchObject({ min: 0, max: 10 });
});
