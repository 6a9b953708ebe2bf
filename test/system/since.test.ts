import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const pipeline = `name: growing
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: \${{ params.source }}
      id: { column: key }
      since: { column: updated, overlap: 1h }
outputs: { rows: "\${{ steps.rows }}", dataset: "\${{ steps.dataset.id }}" }
`;

const row = (key: string, updated: string) => ({ key, updated });

test('a run reads what is new since the run before, plan says from where and how much, and a person sees the mark and sets it', async () => {
  const dataset = newSlug('growing');
  const rows = [row('a', '2024-05-01T10:00:00Z'), row('b', '2024-05-01T11:00:00Z')];
  const source = await world.write('growing.json', rows);
  const file = await world.pipeline(pipeline);
  const params = ['-p', `source=${source}`, '-p', `dataset=${dataset}`];
  const plan = async (): Promise<string> => {
    const { out, err } = await world.portolan(['plan', file, '-c', 'local', ...params]);
    return out + err;
  };
  expect(await plan()).toContain('2 rows (no mark yet: all of 2 rows)');

  const first = await world.run(pipeline, { source, dataset });
  expect(first.result.outputs['rows']).toMatchObject({ added: 2, since: { from: null, to: '2024-05-01T11:00:00.000000Z', of: 2 } });
  const later = [...rows, row('late', '2024-05-01T10:30:00Z'), row('c', '2024-05-01T12:00:00Z'), row('old', '2024-05-01T09:00:00Z')];
  await world.write('growing.json', later);
  expect(await plan()).toContain('2 rows since 2024-05-01T11:00:00.000000Z (of 5 rows)');
  const second = await world.run(pipeline, { source, dataset });
  expect(second.result.outputs['rows']).toMatchObject({ rows: 2, added: 2, present: 0, since: { seen: 2, moved: false } });

  const show = async (...more: string[]) => (await world.portolan(['watermark', 'show', 'growing', ...more])).out;
  const history = (await show('--history', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(history).toMatchObject([
    { version: 1, from: null, run: first.result.run, rows: 2 },
    { version: 2, from: { kind: 'time', value: '2024-05-01T11:00:00.000000Z' }, run: second.result.run, rows: 2 },
  ]);
  expect(await show()).toContain('2024-05-01T12:00:00.000000Z');

  const wrong = await world.portolan(['watermark', 'set', 'growing', 'rows', '12']);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("this mark is a time, and '12' is none") });
  const refusals: [string[], string][] = [
    [['set', 'growing', 'none-such', '12'], "no mark is of step 'none-such'"],
    [['set', 'growin', 'rows', '12'], "no mark is of pipeline 'growin'; did you mean 'growing'?"],
    [['show', 'growin'], "no mark is of pipeline 'growin'; did you mean 'growing'?"],
    [['set', 'growing', 'rows', '2024-05-01', '--dataset', 'abc'], "no mark is of dataset 'abc'"],
    [['set', 'growing', 'rows', '2999-01-01'], '2999-01-01 is still to come: rows before it would not be read'],
    [
      ['set', 'growing', 'rows', '2024-05-01', '--dataset', 'abc', '--source', 'a.csv', '--connection', 'locl'],
      "there is no connection 'locl'; did you mean 'local'?",
    ],
  ];
  for (const [line, message] of refusals)
    expect(await world.portolan(['watermark', ...line])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  // One that was set to none is still of a time.
  expect(await world.portolan(['watermark', 'set', 'growing', 'rows', 'none'])).toMatchObject({ code: 0 });
  expect(await world.portolan(['watermark', 'set', 'growing', 'rows', '12'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("this mark is a time, and '12' is none"),
  });
  expect(await world.portolan(['watermark', 'set', 'growing', 'rows', '2024-05-01', '--json'])).toMatchObject({ code: 0 });
  expect(await plan()).toContain('5 rows since 2024-05-01T00:00:00.000000Z');
  const { effects, value: back } = await world.effectsOf(() => world.run(pipeline, { source, dataset }));
  expect(back.result.outputs['rows']).toMatchObject({ rows: 5, added: 1, present: 4 });
  expect(effects).toMatchObject([{ operation: 'maps.data.addArrow', changed: 1 }]);
  expect(await show('--history')).toContain('tester');

  // Of a run that is over the plan is what it was before it.
  const compared = await world.portolan(['plan', '--compare', second.result.run]);
  expect(compared.code).toBe(0);
  expect(await readFile(world.store(second.result.run).path('report.html'), 'utf8')).toContain('2024-05-01T11:00:00.000000Z');
  const { out } = await world.portolan(['status', second.result.run, '--json']);
  expect(out).toContain('"from":"2024-05-01T11:00:00.000000Z"');
});

test('another source is read from its own mark, and leaves that of the first; a mark is set for the source that is named', async () => {
  const dataset = newSlug('sources');
  const file = await world.pipeline(pipeline);
  const first = await world.write('first.json', [row('a', '2024-05-01T10:00:00Z')]);
  const second = await world.write('second.json', [row('b', '2024-05-01T09:00:00Z'), row('c', '2024-05-01T09:30:00Z')]);
  const plan = async (source: string): Promise<string> => {
    const { out, err } = await world.portolan(['plan', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`]);
    return out + err;
  };
  const { result } = await world.run(pipeline, { source: first, dataset });
  expect(await plan(second)).toContain('2 rows (no mark yet: all of 2 rows)');
  const other = await world.run(pipeline, { source: second, dataset });
  expect(other.result.outputs['rows']).toMatchObject({ rows: 2, added: 2, since: { from: null, to: '2024-05-01T09:30:00.000000Z' } });
  expect(await plan(first)).toContain('since 2024-05-01T10:00:00.000000Z');

  const of = ['--dataset', result.outputs['dataset'] as string];
  const shown = async () => (await world.portolan(['watermark', 'show', 'growing', ...of, '--json'])).out.trim().split('\n');
  const sources = (await shown()).map((line) => (JSON.parse(line) as { source: string }).source);
  expect(sources.map((name) => basename(name)).sort()).toEqual(['first.json', 'second.json']);
  const set = (...more: string[]) => world.portolan(['watermark', 'set', 'growing', 'rows', '2024-05-01', ...of, ...more]);
  expect(await set()).toMatchObject({ code: 2, err: expect.stringContaining('has 2 marks') });
  expect(
    await set(
      '--source',
      sources.find((name) => name.endsWith('second.json'))!,
    ),
  ).toMatchObject({ code: 0 });
  expect(await plan(second)).toContain('since 2024-05-01T00:00:00.000000Z');
  expect(await plan(first)).toContain('since 2024-05-01T10:00:00.000000Z');
});

test('two runs side by side that begin at one mark: one alone sets it, and the other ends well or fails with a remedy', async () => {
  const source = await world.write('side.json', [row('a', '2024-05-01T10:00:00Z'), row('b', '2024-05-01T11:00:00Z')]);
  const { result } = await world.run(pipeline, { source, dataset: newSlug('side') });
  const dataset = result.outputs['dataset'] as string;
  // They would wait for each other, for both name the dataset by its id.
  const beside = pipeline
    .replace('name: growing\n', 'name: growing\nconcurrency: null\n')
    .replace(/ {2}dataset: \{ use.*\n/, '')
    .replace('${{ steps.dataset.id }}\n', '${{ params.dataset }}\n')
    .replace('type: slug', 'type: string')
    .replace('outputs: { rows: "${{ steps.rows }}", dataset: "${{ steps.dataset.id }}" }', 'outputs: { rows: "${{ steps.rows }}" }');
  await world.write('side.json', [row('a', '2024-05-01T10:00:00Z'), row('c', '2024-05-02T10:00:00Z')]);
  const held = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
  const slow = await world.start(beside, { source, dataset });
  await world.control.held(held.id);
  const fast = await world.run(beside, {
    source: await world.write('side.json', [row('c', '2024-05-02T10:00:00Z'), row('d', '2024-05-03T10:00:00Z')]),
    dataset,
  });
  expect(fast.result).toMatchObject({ state: 'done', outputs: { rows: { since: { to: '2024-05-03T10:00:00.000000Z', moved: false } } } });
  await world.control.release(held.id);
  const { view } = await world.ended(slow);
  expect(view).toMatchObject({ state: 'done', outputs: { rows: { since: { to: '2024-05-02T10:00:00.000000Z', moved: true } } } });
});

test('a query reads the rows of the window of its run: a window that is read again sends what came late, and nothing twice', async () => {
  const dataset = newSlug('windows');
  const write = (...rows: ReturnType<typeof row>[]): Promise<string> => world.write('windows.json', rows);
  const [early, late, next] = [row('a', '2026-03-02T00:10:00Z'), row('b', '2026-03-02T00:59:59Z'), row('c', '2026-03-02T01:00:00Z')];
  const source = await write(early, next);
  const sql = `select * from orders where updated >= timestamp '\${{ run.window.from }}' and updated < timestamp '\${{ run.window.to }}'`;
  const file = await world.pipeline(
    pipeline
      .replace('name: growing', "name: windows\nschedule: { cron: '5 * * * *', window: hour }")
      .replace('source: ${{ params.source }}', () => `source: { sql: ${JSON.stringify(sql)}, tables: { orders: "\${{ params.source }}" } }`)
      .replace(/^ *since:.*\n/m, ''),
  );
  const { out: planned } = await world.portolan(['plan', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`]);
  expect(planned.replaceAll(/\s+/g, ' ')).toContain('because which rows it reads is known only in the run');
  const run = async (at: string) => {
    const { out } = await world.portolan([
      'run',
      file,
      '-c',
      'local',
      '-p',
      `source=${source}`,
      '-p',
      `dataset=${dataset}`,
      '--at',
      at,
      '--json',
    ]);
    return JSON.parse(out.trim().split('\n').at(-1)!) as { state: string; outputs: { rows: object } };
  };
  expect(await run('2026-03-02T01:05')).toMatchObject({ state: 'done', outputs: { rows: { rows: 1, added: 1 } } });
  expect(await run('2026-03-02T02:05')).toMatchObject({ state: 'done', outputs: { rows: { rows: 1, added: 1 } } });
  await write(early, next, late);
  expect(await run('2026-03-02T01:05')).toMatchObject({ state: 'done', outputs: { rows: { rows: 2, added: 1, present: 1 } } });
});

test('turns of a loop that read a file each have a mark each, also where their list has another order the next time', async () => {
  const dataset = newSlug('turns');
  await world.write('turns-a.json', [row('a', '2024-05-01T10:00:00Z')]);
  await world.write('turns-b.json', [row('b', '2024-05-03T10:00:00Z')]);
  const looped = (items: string, path: string): string => `name: turns
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  load:
    forEach: { items: [${items}], parallel: 1 }
    steps:
      rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ${path}, id: { column: key }, since: { column: updated } } }
    outputs: { added: "\${{ steps.rows.added }}" }
outputs: { turns: "\${{ steps.load.rows }}" }
`;
  // The path means the folder of the file, as one without an expression does.
  const path = '"../turns-${{ item }}.json"';
  const first = await world.run(looped('a, b', path), { dataset });
  expect(first.result).toMatchObject({ state: 'done', outputs: { turns: [{ added: 1 }, { added: 1 }] } });
  // The new row of a is older than what the turn of b has read, whose place it has the next time.
  await world.write('turns-b.json', [row('b', '2024-05-03T10:00:00Z'), row('c', '2024-05-04T10:00:00Z')]);
  await world.write('turns-a.json', [row('a', '2024-05-01T10:00:00Z'), row('d', '2024-05-02T10:00:00Z')]);
  const second = await world.run(looped('b, a', path), { dataset });
  expect(second.result).toMatchObject({ state: 'done', outputs: { turns: [{ added: 1 }, { added: 1 }] } });
});

test('a turn that comes to the front of the list reads its rows, also of a source that the others read', async () => {
  const dataset = newSlug('front');
  await world.write(
    'words.json',
    [1, 2, 3].map((n) => ({ en: `en${n}`, fr: `fr${n}`, de: `de${n}`, n: `n${n}`, updated: `2024-05-0${n}` })),
  );
  const looped = (over: string, id: string): string => `name: front
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  load:
    forEach: { ${over}, parallel: 1 }
    steps:
      rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ../words.json, columns: { n: n }, id: { column: "\${{ ${id} }}" }, since: { column: updated } } }
    outputs: { added: "\${{ steps.rows.added }}" }
outputs: { turns: "\${{ steps.load.rows.map(row, row.added) }}" }
`;
  const added = async (over: string, id = 'item'): Promise<unknown> =>
    (await world.run(looped(over, id), { dataset })).result.outputs['turns'];
  expect(await added('items: [en]')).toEqual([3]);
  expect(await added('items: [fr, en]')).toEqual([3, 0]);
  expect(await added('matrix: { lang: [de, en] }', 'item.lang')).toEqual([3, 0]);
});

test('rows that a run took and that were taken back are read again, once: by the next run, and by plan before it', async () => {
  const worded = (key: string, updated: string) => ({ ...row(key, updated), words: `about ${key}` });
  const dataset = newSlug('undone');
  // A map has twenty rows at least.
  const early = Array.from({ length: 20 }, (_, at) => worded(`k${at}`, '2024-05-01T11:00:00Z'));
  const source = await world.write('taken.json', early);
  const text = pipeline.replace(
    'since: { column: updated, overlap: 1h }\n',
    `since: { column: updated, overlap: 1h }
    undo:
      forEach: { items: [1], parallel: 1 }
      steps:
        delete: { use: api.call, with: { operation: maps.data.delete, input: { project_id: "\${{ steps.dataset.id }}", datum_ids: [c] } } }
        map: { use: index.build, needs: [delete], with: { dataset: "\${{ steps.dataset.id }}", embed: words } }
`,
  );
  const run = async () => (await world.run(text, { source, dataset })).result;
  const count = async (id: string): Promise<number> => (await world.api.projects.get({ project_id: id })).total_datums_in_project;
  const first = await run();
  expect(first.outputs['rows']).toMatchObject({ added: 20 });
  const c = worded('c', '2024-05-01T12:00:00Z');
  await world.write('taken.json', [...early, c]);
  const second = await run();
  expect(second.outputs['rows']).toMatchObject({ added: 1 });
  await world.write('taken.json', [...early, c, worded('d', '2024-05-01T13:00:00Z')]);
  expect((await run()).outputs['rows']).toMatchObject({ added: 1 });
  const undone = await world.portolan(['undo', second.run, '--accept', 'delete', '--json']);
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect(await count(first.outputs['dataset'])).toBe(21);
  const file = await world.pipeline(text);
  const { out } = await world.portolan(['plan', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`]);
  expect(out).toContain('22 rows since 2024-05-01T11:00:00.000000Z');
  const again = await run();
  expect(again.outputs['rows']).toMatchObject({ rows: 22, added: 1, present: 21, since: { from: '2024-05-01T11:00:00.000000Z' } });
  expect(await count(first.outputs['dataset'])).toBe(22);
  expect((await run()).outputs['rows']).toMatchObject({ rows: 0, since: { from: '2024-05-01T13:00:00.000000Z' } });

  // Whoever sets the mark after a run was taken back says what is read.
  expect((await world.portolan(['undo', again.run, '--accept', 'delete', '--json'])).code).toBe(0);
  const id = first.outputs['dataset'] as string;
  expect(await world.portolan(['watermark', 'set', 'growing', 'rows', '2024-05-01T12:30:00Z', '--dataset', id])).toMatchObject({ code: 0 });
  expect((await run()).outputs['rows']).toMatchObject({ since: { from: '2024-05-01T12:30:00.000000Z' } });
});

test('a rerun of a run that is a step goes on from the mark of that step, and the next run above it from there', async () => {
  const dataset = newSlug('beneath');
  const source = await world.write('beneath.json', [row('a', '2024-05-01T10:00:00Z')]);
  await world.write('pipelines/beneath.yaml', pipeline.replace('name: growing', 'name: beneath'));
  const text = `name: above
params: { source: { type: path }, dataset: { type: slug } }
steps:
  load: { use: ./beneath.yaml, with: { source: "\${{ params.source }}", dataset: "\${{ params.dataset }}" } }
outputs: { rows: "\${{ steps.load.rows }}" }
`;
  const { result: first } = await world.run(text, { source, dataset });
  expect(first.outputs['rows']).toMatchObject({ added: 1, since: { from: null } });
  await world.write('beneath.json', [row('a', '2024-05-01T10:00:00Z'), row('b', '2024-05-01T12:00:00Z')]);
  const again = await world.portolan(['rerun', `${first.run}.load`, '--from', 'rows', '--json']);
  const beneath = JSON.parse(again.out.trim().split('\n').at(-1)!) as typeof first;
  const since = { from: '2024-05-01T10:00:00.000000Z', to: '2024-05-01T12:00:00.000000Z' };
  expect(beneath.outputs['rows']).toMatchObject({ added: 1, since });
  // A rerun of the rerun is of that step too.
  const twice = await world.portolan(['rerun', beneath.run, '--from', 'rows', '--json']);
  const last = JSON.parse(twice.out.trim().split('\n').at(-1)!) as typeof first;
  expect(last.outputs['rows']).toMatchObject({ added: 0, since: { from: since.to } });
  const { result: next } = await world.run(text, { source, dataset });
  expect(next.outputs['rows']).toMatchObject({ added: 0, since: { from: since.to } });
});

test('rows that the run of a step took are read again once that step was taken back: by the run above it, or by a rerun that had gone on', async () => {
  const source = await world.write('above.json', [row('a', '2024-05-01T10:00:00Z'), row('b', '2024-05-01T11:00:00Z')]);
  const ensure = `{ use: dataset.ensure, with: { slug: ${newSlug('above')}, idField: key } }`;
  const made = await world.run(`name: made\nsteps: { dataset: ${ensure} }\noutputs: { id: "\${{ steps.dataset.id }}" }\n`);
  const dataset = made.result.outputs['id'] as string;
  await world.write(
    'pipelines/below.yaml',
    `name: below
params: { source: { type: path }, dataset: { type: string }, seen: { type: string } }
steps:
  rows: { use: dataset.append, with: { dataset: "\${{ params.dataset }}", source: "\${{ params.source }}", id: { column: key }, since: { column: updated } } }
  look: { use: api.call, needs: [rows], with: { operation: maps.projects.get, input: { project_id: "\${{ params.seen }}" } } }
outputs: { rows: "\${{ steps.rows }}" }
`,
  );
  const text = `name: over
params: { source: { type: path }, dataset: { type: string }, seen: { type: string } }
steps:
  each:
    forEach: { items: [one] }
    steps: { load: { use: ./below.yaml, with: { source: "\${{ params.source }}", dataset: "\${{ params.dataset }}", seen: "\${{ params.seen }}" } } }
    outputs: { rows: "\${{ steps.load.rows }}" }
    undo: { use: api.call, with: { operation: maps.projects.list, input: {} } }
outputs: { rows: "\${{ steps.each.rows[0].rows }}" }
`;
  const run = async (seen: string) => (await world.run(text, { source, dataset, seen })).result;
  const undo = (of: string) => world.portolan(['undo', of]);
  const first = await run(dataset);
  expect(first.outputs['rows']).toMatchObject({ added: 2, since: { from: null } });
  expect((await undo(first.run)).code).toBe(0);
  expect((await run(dataset)).outputs['rows']).toMatchObject({ rows: 2, since: { from: null } });
  expect((await run(dataset)).outputs['rows']).toMatchObject({ rows: 0, since: { from: '2024-05-01T11:00:00.000000Z' } });

  // The rows were taken by a run that failed behind them, and whose rerun took them over.
  await world.write('above.json', [row('a', '2024-05-01T10:00:00Z'), row('b', '2024-05-01T11:00:00Z'), row('c', '2024-05-01T12:00:00Z')]);
  const failed = await run('6f9619ff-8b86-4011-b42d-00c04fc964ff');
  expect(failed.state).toBe('failed');
  const rerun = await world.portolan(['rerun', failed.run, '-p', `seen=${dataset}`, '--json']);
  const second = JSON.parse(rerun.out.trim().split('\n').at(-1)!) as typeof failed;
  expect(second.outputs['rows']).toMatchObject({ added: 1, since: { from: '2024-05-01T11:00:00.000000Z' } });
  expect((await undo(second.run)).code).toBe(0);
  expect((await run(dataset)).outputs['rows']).toMatchObject({
    since: { from: '2024-05-01T11:00:00.000000Z', to: '2024-05-01T12:00:00.000000Z' },
  });
});
