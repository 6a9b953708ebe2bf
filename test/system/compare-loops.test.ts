import { expect, test } from 'vitest';
import { documents } from '../../cli/json/documents.ts';
import { useWorld } from './support.ts';

const world = useWorld();

test('a run with loops is held against its plan: what turns have sent, and that turns which are runs are not compared', async () => {
  await world.write(
    'pipelines/lib/load.yaml',
    'name: load\nparams: { slug: { type: slug } }\nsteps:\n  dataset: { use: dataset.ensure, with: { slug: "${{ params.slug }}" } }\n',
  );
  await world.write('rows.csv', 'n\n1\n2\n3\n');
  const { result } = await world.run(
    `name: above
params: { table: { type: path } }
steps:
  each:
    forEach: { items: [loop-a, loop-b, loop-c], as: slug }
    steps: { load: { use: ./lib/load.yaml, with: { slug: "\${{ slug }}" } } }
  look:
    forEach: { items: [1, 2], as: at }
    needs: [each]
    steps: { health: { use: api.call, with: { operation: maps.user.get, input: {} } } }
  rows:
    forEach: { rows: "\${{ params.table }}", as: row }
    needs: [look]
    steps: { of: { use: api.call, with: { operation: maps.user.get, input: {} } } }
`,
    { table: 'rows.csv' },
  );
  expect(result.state).toBe('done');
  const shown = await world.portolan(['plan', '--compare', result.run, '--json']);
  const { steps, outside } = documents.comparison.schema.parse(JSON.parse(shown.out));
  expect(outside).toBe(0);
  const by = Object.fromEntries(steps.map(({ id, ...step }) => [id, step]));
  expect(by['load']).toMatchObject({ status: 'done', runs: true, turns: { of: 'each', done: 3, failed: 0, items: 3 }, calls: [] });
  expect(by['health']).toMatchObject({
    status: 'done',
    turns: { of: 'look', done: 2 },
    calls: [{ operation: 'maps.user.get', sent: 2, is: 'within' }],
  });
  // What is done for a row is sent by the attempt that works through many of them.
  expect([by['rows']!.calls, by['of']!.calls]).toMatchObject([[], [{ operation: 'maps.user.get', sent: 3, is: 'within' }]]);
});
