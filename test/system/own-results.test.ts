import { rm } from 'node:fs/promises';
import { expect, test, beforeAll } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

beforeAll(async () => {
  await world.write(
    'steps/score.mts',
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.score',
  input: z.strictObject({ count: z.int() }),
  effect: 'idempotent',
  chunk: 20,
  result: z.object({ text: z.string(), length: z.int(), share: z.number(), even: z.boolean(), tags: z.array(z.string()), note: z.string().optional() }),
  *items({ count }) {
    for (let id = 0; id < count; id++) yield { id };
  },
  each({ id }) {
    if (id === 7) return { status: 'skipped' };
    if (id === 8) return { result: { text: 7 as never, length: 1, share: 0, even: true, tags: [] } };
    return { result: { text: \`Nr. \${id}, "x"\`, length: id, share: id / 2, even: id % 2 === 0, tags: [\`t\${id}\`], ...(id === 3 ? { note: \`\${String.fromCharCode(27, 7, 155)}three\` } : {}) } };
  },
});
`,
  );
  await world.write(
    'steps/double.mts',
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.double',
  input: z.strictObject({ rows: z.string() }),
  effect: 'safe',
  result: z.object({ double: z.int() }),
  items: ({ rows }, context) => context.rows(rows) as AsyncIterable<{ item: string; length: number }>,
  key: ({ item }) => item,
  each: ({ length }) => ({ result: { double: 2 * length } }),
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});

const pipeline = (count: number): string => `
name: results
params: { dataset: { type: slug } }
steps:
  score: { use: acme.score, with: { count: ${count} }, tolerate: { failed: 1 } }
  double: { use: acme.double, with: { rows: "\${{ steps.score.results }}" } }
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ steps.score.results }}", id: { column: item }, columns: { text: text, length: length, share: share } }
outputs: { double: "\${{ steps.double.results }}", added: "\${{ steps.rows.added }}", score: "\${{ steps.score }}" }
`;

test('what items give are typed rows: a later sweep works on them, a dataset takes them, and they are shown', async () => {
  const { result } = await world.run(pipeline(50), { dataset: newSlug('results') });
  expect(result).toMatchObject({ state: 'done', outputs: { added: 48, score: { items: 50, done: 48, failed: 1 } } });
  const [failed] = await world.store(result.run).readItems({ step: 'score', status: 'failed' });
  expect(failed).toMatchObject({ item: '8', reason: expect.stringContaining('result.text: Invalid input: expected string') });

  const listed = await world.portolan(['items', result.run, '--results', '--step', 'score', '--json']);
  const rows = listed.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.map(({ item }) => item)).toEqual(Array.from({ length: 50 }, (_, id) => String(id)).filter((id) => id !== '7' && id !== '8'));
  expect(rows[3]).toEqual({ item: '3', text: 'Nr. 3, "x"', length: 3, share: 1.5, even: false, tags: ['t3'], note: '\x1b\x07\x9bthree' });
  expect(rows[4]).toMatchObject({ note: null });
  expect(await world.portolan(['items', result.run, '--step', 'scroe'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("no step 'scroe'; did you mean 'score'?"),
  });
  const doubled = await world.portolan(['items', result.run, '--results', '--step', 'double', '--csv', '--limit', '3']);
  expect(doubled.out).toBe('item,double\n0,0\n1,2\n2,4\n');
  const csv = await world.portolan(['items', result.run, '--results', '--step', 'score', '--csv']);
  expect(csv.out.split('\n')[4]).toBe('3,"Nr. 3, ""x""",3,1.5,false,"[""t3""]",\x1b\x07\x9bthree');
  const shown = await world.portolan(['items', result.run, '--results', '--step', 'score', '--limit', '2']);
  expect(shown.out).toContain('2 of 48; more with --limit N, all with --json or --csv');
  expect(await world.portolan(['items', result.run, '--results'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--step double | score'),
  });

  await rm(world.store(result.run).path('results', 'score', '00002.parquet'));
  const again = await world.portolan(['rerun', result.run, '--from', 'rows', '--json']);
  const [{ steps }] = again.out.split('\n').map((line) => JSON.parse(line || '{}') as { steps: unknown[] }) as [{ steps: unknown[] }];
  expect(steps).toContainEqual({ step: 'score', reused: false, why: expect.stringMatching(/^its result is gone: .*00002\.parquet$/) });
  expect(again.code).toBe(0);
});

test('a sweep without items gives a table without rows, which a later sweep reads', async () => {
  const text = pipeline(0)
    .replace(/ {2}dataset:[\s\S]*?(?=outputs)/, '')
    .replace(', added: "${{ steps.rows.added }}"', '')
    .replace(/params:.*\n/, '');
  const { result } = await world.run(text);
  expect(result).toMatchObject({ state: 'done', outputs: { score: { items: 0 } } });
  const csv = await world.portolan(['items', result.run, '--results', '--step', 'double', '--csv']);
  expect(csv.out).toBe('item,double\n');
});

test('the items of a loop over a list are those of the steps in its turns; of one that has none it is said where its turns are', async () => {
  const { result } = await world.run(`name: turns
steps:
  each:
    forEach: { items: [2, 9], as: count }
    tolerate: { failed: 100% }
    steps: { score: { use: acme.score, with: { count: "\${{ count }}" } } }
  bare:
    forEach: { items: [a] }
    steps: { call: { use: api.call, with: { operation: maps.user.get, input: {} } } }
    outputs: { of: "\${{ item }}" }
`);
  const items = async (...more: string[]) => (await world.portolan(['items', result.run, '--step', ...more])).out;
  const listed = (await items('each', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { step: string; item: string });
  expect(listed.map(({ step }) => step)).toEqual([...Array(2).fill('each[0].score'), ...Array(9).fill('each[1].score')]);
  expect(await items('each', '--status', 'failed')).toMatch(/^each\[1\]\.score +8 +failed/);
  expect(await items('each', '--limit', '3')).toContain('3 of 11');
  expect(await items('bare')).toBe(
    `no such items: bare goes over a list, and has those of the steps in it\nits turns: portolan status ${result.run}; what they gave, where it names outputs: portolan items ${result.run} --step bare --results\n`,
  );
  expect(await items('bare', '--results')).toMatch(/of\s+a/);
});

test('results survive a worker that is killed: each item has one row, and --csv gives all of them', async () => {
  const id = await world.start(pipeline(300), { dataset: newSlug('results') });
  await world.until(id, ({ view }) => (view.steps[0]?.progress?.done ?? 0) > 40);
  await world.worker.kill();
  await world.worker.start(0);
  const { view } = await world.ended(id);
  expect({ state: view.state, error: view.error }).toEqual({ state: 'done', error: undefined });
  const listed = await world.portolan(['items', id, '--results', '--step', 'double', '--json']);
  const items = listed.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { item: string }).item);
  expect(items).toEqual(Array.from({ length: 300 }, (_, at) => String(at)).filter((item) => item !== '7' && item !== '8'));
  const csv = await world.portolan(['items', id, '--results', '--step', 'double', '--csv']);
  expect(csv.out).toBe(['item,double', ...items.map((item) => `${item},${2 * Number(item)}`), ''].join('\n'));
});

test('rows of anything but a sweep are refused', async () => {
  const text = `
name: other
steps:
  double: { use: acme.double, with: { rows: /etc/*.parquet } }
`;
  const { result } = await world.run(text);
  expect(result).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('write ${{ steps.ID.results }}') } });
});
