import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { expect, inject, test } from 'vitest';
import { filesWith, findSecret } from '../support/bytes.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const { History } = proto.temporal.api.history.v1;

const pipeline = `
name: canary
params: { source: { type: path }, dataset: { type: slug }, note: { type: string } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", description: "\${{ params.note }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
  all: { use: points.select, with: { map: "\${{ steps.map.id }}" } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.all.points }}", add: seen } }
`;

test('every form of a secret is found where it stands', () => {
  const secret = 'a key+with/odd=signs';
  for (const before of ['', 'x', 'xy']) {
    const text = `${before}${secret} and more`;
    expect(findSecret(Buffer.from(Buffer.from(text).toString('base64')), secret)).not.toEqual([]);
    expect(findSecret(Buffer.from(Buffer.from(text).toString('base64url')), secret)).not.toEqual([]);
    expect(findSecret(Buffer.from(Buffer.from(text).toString('hex')), secret)).toEqual(['hex']);
    expect(findSecret(Buffer.from(encodeURIComponent(text)), secret)).toEqual(['url']);
  }
  expect(findSecret(Buffer.from('nothing here'), secret)).toEqual([]);
});

test('the key is in no history, output, log, report, store or database; what was planted is', async () => {
  const key = world.adminKeys.maps;
  const planted = `planted-${newSlug('canary')}`;
  const source = await world.write(
    'keys.json',
    Array.from({ length: 24 }, (_, at) => ({ key: `k${at}`, n: at })),
  );
  const runs: string[] = [];
  const said: string[] = [];
  const run = async (expected: string): Promise<void> => {
    const { result, out, err } = await world.run(pipeline, { source, dataset: newSlug('canary'), note: planted });
    expect({ state: result.state, error: result.error?.message }).toEqual({
      state: expected,
      error: expected === 'failed' ? expect.any(String) : undefined,
    });
    runs.push(result.run);
    const asked = [
      await world.portolan(['why', result.run]),
      await world.portolan(['report', result.run]),
      await world.portolan(['doctor']),
    ];
    said.push(out, err, ...asked.flatMap((each) => [each.out, each.err]));
  };
  await run('done');
  await world.control.fault('maps.tags.update', 1, { status: 429, retryAfter: 1 });
  await world.control.fault('maps.projects.create', 1, { lose: 'answer' });
  await run('done');
  await world.control.fault('maps.tags.update', 1, { status: 401 });
  await run('failed');

  for (const id of runs) {
    const [history] = await world.histories(id);
    const bytes = History.encode(history!).finish();
    expect(findSecret(bytes, key)).toEqual([]);
    expect(findSecret(bytes, planted)).toContain('plain');
  }

  expect(findSecret(Buffer.from(said.join('\n')), key)).toEqual([]);

  // The key file is the one place for it.
  const files = await filesWith(world.state, key, [join(world.state, 'service', 'maps-admin-key')]);
  expect(files.found).toEqual([]);
  expect(files.searched.map((path) => path.slice(world.state.length + 1).replace(/\/canary-[^/]*/, '/RUN'))).toEqual(
    expect.arrayContaining(['dev.json', 'logs/worker-0.log', 'runs/RUN/run.json', 'runs/RUN/plan.json', 'runs/RUN/report.html']),
  );
  expect((await filesWith(world.state, planted)).found).toEqual(
    expect.arrayContaining(runs.map((id) => expect.stringContaining(join('runs', id, 'plan.json')))),
  );

  const database = inject('temporalDatabase');
  const bytes = Buffer.concat(
    await Promise.all([database, `${database}-wal`].filter((path) => existsSync(path)).map((path) => readFile(path))),
  );
  expect(findSecret(bytes, key)).toEqual([]);
  expect(findSecret(bytes, planted)).toContain('plain');
});
