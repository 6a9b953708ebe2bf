import { beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { useWorld } from './support.ts';
import { giveSays, saidIn } from './support-says.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

beforeAll(async () => {
  await world.write(
    'steps/lists.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.lists',
  input: z.strictObject({ words: z.string() }),
  output: z.object({ docs: z.array(z.object({ name: z.string() })), title: z.string() }),
  effect: 'safe',
  run: ({ words }) => ({ docs: words.split(' ').map((name) => ({ name })), title: 'animals' }),
});
`,
  );
  await giveSays(world);
});

const said = (name: string): Promise<string> => saidIn(world, name);

test('a loop without turns, and a query without rows, give none to a dataset: the run is done, and a later one adds what there is', async () => {
  await world.write('some.json', [{ key: 'a', n: 1 }]);
  const path = await world.write(
    'pipelines/none.yaml',
    `name: none
connection: local
params: { items: { type: integer } }
steps:
  dataset: { use: dataset.ensure, with: { slug: none-yet, idField: key } }
  each:
    forEach: { items: "\${{ [1, 2].filter(x, x <= params.items) }}", as: n }
    steps: { say: { use: acme.says, with: { word: "w\${{ n }}", file: none.txt } } }
    outputs: { key: "\${{ steps.say.word }}", n: "\${{ n }}" }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ steps.each.results }}", id: { column: key } } }
  more:
    use: dataset.append
    with:
      dataset: "\${{ steps.dataset.id }}"
      source: { sql: "select key, n from t where n > 5", tables: { t: ../some.json } }
      id: { column: key }
outputs: { added: "\${{ [steps.rows.added, steps.more.added] }}" }
`,
  );
  for (const items of [0, 2, 0]) {
    const { code, out } = await world.portolan(['run', path, '-p', `items=${items}`, '--json']);
    expect([code, out]).toEqual([0, expect.stringContaining(`"outputs":{"added":[${items},0]}`)]);
  }
});

test('steps of a loop are done for each item, and what the turns give is a table that later steps read', async () => {
  const pipeline = `name: each
steps:
  list: { use: acme.lists, with: { words: ant bee elephant } }
  review:
    forEach: { items: "\${{ steps.list.docs }}", as: doc, parallel: 1 }
    steps:
      greet: { use: acme.says, with: { word: "\${{ doc.name }}", file: each.txt } }
      again: { use: acme.says, when: "\${{ steps.greet.long }}", with: { word: "\${{ steps.list.title }}", file: each.txt } }
    outputs: { name: "\${{ doc.name }}", of: "\${{ steps.?again.word.orValue('none') }}" }
  last: { use: acme.says, with: { word: "\${{ string(steps.review.count) }}", file: each.txt } }
outputs: { rows: "\${{ steps.review.rows }}", done: "\${{ steps.review.done }}", second: "\${{ steps.review.rows[1].name }}" }
`;
  const { view } = await world.ended(await world.start(pipeline));
  expect(view).toMatchObject({
    state: 'done',
    outputs: {
      rows: [
        { name: 'ant', of: 'none' },
        { name: 'bee', of: 'none' },
        { name: 'elephant', of: 'animals' },
      ],
      done: 3,
      second: 'bee',
    },
    steps: [
      { id: 'list', status: 'done' },
      { id: 'review', kind: 'loop', status: 'done', progress: { done: 3, total: 3, unit: 'turns' } },
      { id: 'last', status: 'done' },
    ],
  });
  expect(await said('each.txt')).toBe('ant bee elephant animals 3 ');
});

test('a turn that fails ends the loop and the run; as many as the file tolerates do not', async () => {
  const pipeline = (tolerate: string): string => `name: some
steps:
  list: { use: acme.lists, with: { words: ant bee elephant dog } }
  review:
    forEach: { items: "\${{ steps.list.docs }}", as: doc, parallel: 2 }
    ${tolerate}
    steps:
      greet: { use: acme.says, with: { word: "\${{ doc.name }}", file: some.txt, fails: "\${{ doc.name == 'bee' }}" } }
      again: { use: acme.says, with: { word: "\${{ steps.greet.word + '!' }}", file: some.txt } }
    outputs: { word: "\${{ steps.again.word }}" }
outputs: { rows: "\${{ steps.review.rows }}", failed: "\${{ steps.review.failed }}" }
`;
  const strict = await world.ended(await world.start(pipeline('')));
  expect(strict.view).toMatchObject({
    state: 'failed',
    error: {
      step: 'review',
      message: expect.stringMatching(/^1 of 4 turns failed, the last one at review\[1\]\.greet: .*bee is not to be said/),
    },
    steps: [{ id: 'list' }, { id: 'review', status: 'failed', loop: { items: 4, failed: 1, failures: [{ index: 1 }] } }],
  });
  const lenient = await world.ended(await world.start(pipeline('tolerate: { failed: 50% }')));
  expect(lenient.view).toMatchObject({
    state: 'done',
    outputs: { rows: [{ word: 'ant!' }, { word: 'elephant!' }, { word: 'dog!' }], failed: 1 },
  });
});

test('a turn of which nobody knows what it did ends the loop, however many the file tolerates', async () => {
  await world.write(
    'steps/makes.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.makes',
  input: z.strictObject({ nickname: z.string() }),
  output: z.looseObject({}),
  effect: 'never',
  operations: ['maps.organizations.create'],
  run: (input, { maps }) => maps.organizations.create(input),
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
  await world.control.fault('maps.organizations.create', 2, { reset: 'after' });
  const { view } = await world.ended(
    await world.start(`name: unknown
steps:
  make:
    forEach: { items: [north, south, west], parallel: 1 }
    tolerate: { failed: 100% }
    steps: { team: { use: acme.makes, with: { nickname: "\${{ item }}" } } }
`),
  );
  expect(view).toMatchObject({
    state: 'failed',
    error: { type: 'Undecided', step: 'make', message: expect.stringContaining('1 of 3 turns failed, the last one at make[1].team') },
  });
});

test('a gate in a loop is one decision for each turn', async () => {
  const run = await world.start(`name: gated
steps:
  review:
    forEach: { items: [ant, bee] }
    steps:
      ask: { use: gate.approve, with: { show: "\${{ item }}" } }
      greet: { use: acme.says, needs: [ask], with: { word: "\${{ item }}", file: gated.txt } }
outputs: { done: "\${{ steps.review.done }}" }
`);
  const waits = async (step: string) =>
    world.until(run, ({ view }) => view.steps.some(({ id, status }) => id === step && status === 'approval'));
  for (const [index, then] of [
    [1, 'bee '],
    [0, 'bee ant '],
  ] as const) {
    const step = `review[${index}].ask`;
    await waits(step);
    const { code, err } = await world.portolan(['approve', run, step, '--note', 'fine']);
    expect([code, err]).toEqual([0, '']);
    await expect.poll(() => said('gated.txt')).toBe(then);
  }
  expect((await world.ended(run)).view).toMatchObject({ state: 'done', outputs: { done: 2 } });
});

test('a list that stands in the run store is gone over part by part, and no row is lost, doubled or in another place', async () => {
  const names = Array.from({ length: 1_700 }, (_, index) => `animal-${'x'.repeat(index % 40)}-${index}`);
  const pipeline = `name: many
params: { words: { type: string } }
steps:
  list: { use: acme.lists, with: { words: "\${{ params.words }}" } }
  review:
    forEach: { items: "\${{ steps.list.docs }}", as: doc, parallel: 50 }
    steps:
      greet: { use: acme.says, when: "\${{ doc.name.endsWith('-1699') }}", with: { word: last, file: many.txt } }
    outputs: { name: "\${{ doc.name }}", length: "\${{ size(doc.name) }}", said: "\${{ steps.?greet.word.orValue('nothing') }}" }
outputs: { results: "\${{ steps.review.results }}", done: "\${{ steps.review.done }}", second: "\${{ steps.review.rows[1] }}" }
`;
  const run = await world.start(pipeline, { words: names.join(' ') });
  await world.worker.kill();
  await world.worker.start(0);
  const { view } = await world.ended(run);
  expect(view).toMatchObject({ state: 'done', outputs: { done: 1_700, second: { name: names[1], length: 10, said: 'nothing' } } });
  const { results } = view.outputs as { results: string };
  const rows = await queryFiles<{ name: string; length: bigint; said: string }>(`select * from read_parquet('${results}')`);
  expect(rows.map(({ name }) => name)).toEqual(names);
  expect(Number(rows[0]!.length)).toBe(names[0]!.length);
  expect(rows.filter(({ said: word }) => word === 'last')).toHaveLength(1);
  const { history } = await world.client.workflow
    .getHandle((await world.locate(run)).workflowId)
    .fetchHistory()
    .then((found) => ({ history: found }));
  expect(history.events!.length).toBeLessThan(300);
});

test('a matrix whose lists are long is gone over as one whose lists are short; what is no list fails the loop by its field', async () => {
  const over = (forEach: string): string => `name: over
steps:
  list: { use: acme.lists, with: { words: "${Array.from({ length: 45 }, (_, at) => `animal-${'x'.repeat(80)}-${at}`).join(' ')}" } }
  each:
    forEach: { ${forEach}, as: it }
    steps: { greet: { use: acme.says, when: "\${{ it.doc.name.endsWith('-44') }}", with: { word: "\${{ it.lang }}", file: matrix.txt } } }
    outputs: { name: "\${{ it.doc.name + it.lang }}" }
outputs: { done: "\${{ steps.each.done }}", last: "\${{ steps.each.rows[89].name }}" }
`;
  const { result } = await world.run(over('matrix: { doc: "${{ steps.list.docs }}", lang: [de, en] }'));
  expect(result).toMatchObject({ state: 'done', outputs: { done: 90, last: expect.stringMatching(/-44en$/) } });
  expect((await said('matrix.txt')).split(' ').toSorted()).toEqual(['', 'de', 'en']);

  const none = await world.run(over('items: "${{ [dyn(steps.list.title), steps.list][1] }}"'));
  expect(none.result).toMatchObject({
    state: 'failed',
    error: { step: 'each', type: 'expression-result', message: expect.stringMatching(/^forEach: a list is due, not \{"docs"/) },
  });
});

test('what stands under `finally` is done in a run that is done, that fails and that is cancelled', async () => {
  const pipeline = (name: string, fails: boolean): string => `name: ${name}
steps:
  first: { use: acme.says, with: { word: first, file: ${name}.txt, fails: ${fails} } }
  ask: { use: gate.approve, needs: [first], with: { expires: 1h } }
  second: { use: acme.says, needs: [ask], with: { word: second, file: ${name}.txt } }
finally:
  tidy: { use: acme.says, with: { word: "\${{ steps.?second.word.orValue('tidied') }}", file: ${name}.txt } }
`;
  const failed = await world.ended(await world.start(pipeline('sad', true)));
  expect(failed.view).toMatchObject({ state: 'failed', error: { step: 'first' } });
  expect(failed.view.steps.map(({ id, status }) => [id, status])).toEqual([
    ['first', 'failed'],
    ['ask', 'skipped'],
    ['second', 'skipped'],
    ['tidy', 'done'],
  ]);
  expect(await said('sad.txt')).toBe('tidied ');

  const run = await world.start(pipeline('gone', false));
  await world.until(run, ({ view }) => view.state === 'approval');
  expect(await world.portolan(['cancel', run])).toMatchObject({ code: 0 });
  const { view } = await world.ended(run);
  expect(view.state).toBe('cancelled');
  expect(view.steps.map(({ id, status }) => [id, status])).toEqual([
    ['first', 'done'],
    ['ask', 'cancelled'],
    ['second', 'cancelled'],
    ['tidy', 'done'],
  ]);
  expect(await said('gone.txt')).toBe('first tidied ');

  const asked = await world.start(pipeline('fine', false));
  await world.until(asked, ({ view: now }) => now.state === 'approval');
  await world.portolan(['approve', asked, 'ask']);
  expect((await world.ended(asked)).view.state).toBe('done');
  expect(await said('fine.txt')).toBe('first second second ');
});
