import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const pipeline = `name: mirrored
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  rows:
    use: dataset.mirror
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, deletes: { max: 20% } }
outputs: { rows: "\${{ steps.rows }}", dataset: "\${{ steps.dataset.id }}" }
`;

const rowsOf = (count: number, from = 0) => Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, n: from + at }));

test('plan names the rows that a mirror deletes and writes them into a file; the run deletes them where that is accepted, and none beyond the cap', async () => {
  const dataset = newSlug('mirrored');
  const source = await world.write('mirrored.json', rowsOf(20));
  const file = await world.pipeline(pipeline);
  const plan = async (): Promise<string> =>
    (await world.portolan(['plan', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`])).out.replaceAll(/\s+/g, ' ');
  expect(await plan()).toContain('nothing irreversible');
  const { result: first } = await world.run(pipeline, { source, dataset });
  expect(first.outputs['rows']).toMatchObject({ added: 20, deleted: 0 });

  await world.write('mirrored.json', [...rowsOf(17, 3), ...rowsOf(1, 90)]);
  expect(await plan()).toMatch(/delete 3 rows gone at the source: k0, k1, k2/);
  const list = await readFile(join(world.dir, '.portolan', 'plans', 'mirrored-rows-gone.jsonl'), 'utf8');
  expect(list).toBe('"k0"\n"k1"\n"k2"\n');
  const refused = await world.effectsOf(() => world.run(pipeline, { source, dataset }));
  expect(refused.value.result).toMatchObject({ state: 'failed', error: { type: 'NeedsApproval' } });
  expect(refused.effects).toEqual([]);
  const { result: done } = await world.run(pipeline, { source, dataset }, ['--accept', 'rows']);
  expect(done.outputs['rows']).toMatchObject({ added: 1, present: 17, deleted: 3 });
  expect((await world.api.projects.get({ project_id: done.outputs['dataset'] as string })).total_datums_in_project).toBe(18);
  expect(await world.store(done.run).readItems({ status: 'deleted' })).toHaveLength(3);
  const [shown, document] = await Promise.all([world.portolan(['status', done.run]), world.portolan(['status', done.run, '--json'])]);
  expect(shown.out).toMatch(/ done in .* 1 added · 3 deleted · 17 present/);
  expect(JSON.parse(document.out)).toMatchObject({
    steps: expect.arrayContaining([expect.objectContaining({ id: 'rows', counts: expect.objectContaining({ deleted: 3 }) })]),
  });

  await world.write('mirrored.json', rowsOf(10, 3));
  expect(await plan()).toMatch(/REFUSED: 8 rows of 18 rows are gone at the source, and at most 3 rows may be deleted/);
  const { value, effects } = await world.effectsOf(() => world.run(pipeline, { source, dataset }, ['--accept', 'rows']));
  expect(value.result).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('deletes: { max: 8 }') } });
  expect(effects).toEqual([]);

  // What it has put there is not forgotten at a word.
  const forget = ['watermark', 'set', 'mirrored', 'rows', 'none', '--dataset', done.outputs['dataset'] as string];
  expect(await world.portolan(forget)).toMatchObject({ code: 3, err: expect.stringMatching(/the list of the 18 rows .*\n.*--yes/) });
  expect(await world.portolan(['watermark', 'show', 'mirrored', 'rows', '--dataset', forget.at(-1)!])).toMatchObject({
    out: expect.stringContaining('18 rows'),
  });
  expect(await world.portolan([...forget, '--yes'])).toMatchObject({ code: 0 });
});

test('plan counts as gone what the dataset holds: rows that a lost run was to send are not, and what nobody has looked at is said so', async () => {
  const dataset = newSlug('mirrored');
  const source = await world.write('lost.json', rowsOf(10));
  const file = await world.pipeline(pipeline);
  const planned = async (...more: string[]): Promise<string> => {
    const { out, err } = await world.portolan(['plan', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`, ...more]);
    return (out + err).replaceAll(/\s+/g, ' ');
  };
  await world.run(pipeline, { source, dataset });
  await world.write('lost.json', [...rowsOf(10), ...rowsOf(30, 50)]);
  await world.control.fault('maps.data.addArrow', 1, { status: 400 });
  expect((await world.run(pipeline, { source, dataset })).result).toMatchObject({ state: 'failed' });

  // One row is gone of ten, and not 31 of forty.
  await world.write('lost.json', rowsOf(9));
  const now = await planned();
  expect(now).toContain('; 1 row gone');
  expect(now).toMatch(/delete 1 row gone at the source: k9 /);
  expect(now).not.toContain('REFUSED');
  await world.control.fault('maps.data.get', 1, { status: 500 });
  expect(await planned()).toContain(
    '; ≤ 31 rows gone; REFUSED where the dataset holds them all: the source has 9 rows, less than half of the 40 rows',
  );
  expect(await planned('--offline')).toContain('which rows are gone is not known here');
  const { result } = await world.run(pipeline, { source, dataset }, ['--accept', 'rows']);
  expect(result.outputs['rows']).toMatchObject({ present: 9, deleted: 1 });
  const compared = await world.portolan(['plan', '--compare', result.run]);
  expect(compared.code).toBe(0);
  expect(await readFile(world.store(result.run).path('forecast.json'), 'utf8')).toContain('; 1 row gone');
});

describe('turns of a loop that mirror a file each into one dataset keep their rows where the list has another order the next time', () => {
  const looped = (items: string, place: string, of: string): string => `name: turns
params: { folder: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  each:
    forEach: { items: [${items}], parallel: 1, as: place }
    steps:
      rows:
        use: dataset.mirror
        with:
          dataset: "\${{ steps.dataset.id }}"
          source: "\${{ params.folder + '/' + ${place} + '.json' }}"
          id: { column: key }
          deletes: { max: 100% }
          others: keep
    outputs: { of: "\${{ ${of} }}", added: "\${{ steps.rows.added }}", deleted: "\${{ steps.rows.deleted }}" }
outputs: { rows: "\${{ steps.each.rows }}", dataset: "\${{ steps.dataset.id }}" }
`;

  /** What the turns have added and deleted, and how many rows are there then. */
  const mirrored = async (text: string, folder: string, dataset: string): Promise<unknown[]> => {
    const { result } = await world.run(text, { folder: join(world.dir, folder), dataset }, ['--accept', 'rows']);
    expect(result).toMatchObject({ state: 'done' });
    const { total_datums_in_project: total } = await world.api.projects.get({ project_id: result.outputs['dataset'] as string });
    const rows = result.outputs['rows'] as { of: string; added: number; deleted: number }[];
    return [...rows.map(({ of, added, deleted }) => `${of} +${added} -${deleted}`), total];
  };

  const starts: { [name: string]: number } = { north: 0, south: 100, west: 200 };
  const write = async (folder: string, counts: { [name: string]: number }): Promise<void> => {
    for (const [name, count] of Object.entries(counts)) await world.write(`${folder}/${name}.json`, rowsOf(count, starts[name]));
  };

  test('of texts, whose lists stay where their sources move', async () => {
    const dataset = newSlug('mirrored');
    const places = (items: string): string => looped(items, 'place', 'place');
    await write('monday', { north: 5, south: 6 });
    expect(await mirrored(places('north, south'), 'monday', dataset)).toEqual(['north +5 -0', 'south +6 -0', 11]);
    expect(await mirrored(places('south, north'), 'monday', dataset)).toEqual(['south +0 -0', 'north +0 -0', 11]);
    await write('tuesday', { north: 4, south: 6, west: 7 });
    expect(await mirrored(places('west, south, north'), 'tuesday', dataset)).toEqual(['west +7 -0', 'south +0 -0', 'north +0 -1', 17]);
  });

  test('of objects, by their sources', async () => {
    const dataset = newSlug('mirrored');
    const places = (items: string): string => looped(items, 'place.name', 'place.name');
    await write('objects', { north: 5, south: 6 });
    const first = '{ name: north, seen: 1 }, { name: south, seen: 1 }';
    expect(await mirrored(places(first), 'objects', dataset)).toEqual(['north +5 -0', 'south +6 -0', 11]);
    await write('objects', { north: 4, south: 6 });
    const second = '{ name: south, seen: 2 }, { name: north, seen: 2 }';
    expect(await mirrored(places(second), 'objects', dataset)).toEqual(['south +0 -0', 'north +0 -1', 10]);
  });

  test('of a row that moves from the source of one turn to that of another, which keeps it', async () => {
    const dataset = newSlug('mirrored');
    const places = looped('south, north', 'place', 'place');
    const [south, north] = [rowsOf(3, 100), rowsOf(3)];
    const put = async (souths: object[], norths: object[]): Promise<unknown[]> => {
      await world.write('moved/south.json', souths);
      await world.write('moved/north.json', norths);
      return mirrored(places, 'moved', dataset);
    };
    expect(await put(south, north)).toEqual(['south +3 -0', 'north +3 -0', 6]);
    // South has it before north misses it, and north deletes nothing that is south's.
    expect(await put([...south, north[2]!], north.slice(0, 2))).toEqual(['south +0 -0', 'north +0 -0', 6]);
    expect(await put(south, north)).toEqual(['south +0 -1', 'north +1 -0', 6]);
    // Gone at both.
    expect(await put(south, north.slice(0, 2))).toEqual(['south +0 -0', 'north +0 -1', 5]);
  });

  test('of objects that share a source, of which the second is refused: it would delete the rows of the first', async () => {
    const columns = 'id: { column: "${{ place.lang }}" }';
    const text = looped('', 'place', 'place.lang')
      .replace('items: []', 'matrix: { lang: [en, fr], size: [1] }')
      .replace("${{ params.folder + '/' + place + '.json' }}", '${{ params.folder }}')
      .replace('id: { column: key }', columns);
    const source = await world.write(
      'words.json',
      [1, 2, 3].map((n) => ({ en: `en${n}`, fr: `fr${n}`, n })),
    );
    const { result } = await world.run(text, { folder: source, dataset: newSlug('mirrored') }, ['--accept', 'rows']);
    expect(result).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('each[1].rows reads the same source into the same dataset as each[0].rows') },
    });
  });
});

test('a mirror deletes no row that another mirror of the file has in the same dataset, asks nobody about it, and says in its events what it keeps', async () => {
  const rowsStep = (id: string): string =>
    `  ${id}: { use: dataset.mirror, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.${id} }}", id: { column: key }, deletes: { max: 100% }, others: keep } }\n`;
  const text = `name: both
params: { one: { type: path }, two: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
${rowsStep('one')}${rowsStep('two')}outputs: { deleted: "\${{ steps.two.deleted }}", dataset: "\${{ steps.dataset.id }}" }
`;
  const dataset = newSlug('both');
  const mirror = async (ones: object[], twos: object[], accept = ['one', 'two']) => {
    const one = await world.write('one.json', ones);
    const two = await world.write('two.json', twos);
    const accepted = accept.flatMap((step) => ['--accept', step]);
    const { result } = await world.run(text, { one, two, dataset }, accepted);
    const { total_datums_in_project: total } = await world.api.projects.get({ project_id: result.outputs['dataset'] as string });
    return { run: result.run, deleted: result.outputs['deleted'] as number, total };
  };
  expect(await mirror(rowsOf(4), rowsOf(4, 3))).toMatchObject({ deleted: 0, total: 7 });
  // Nothing is to be deleted, so nobody is asked.
  const { run, ...both } = await mirror(rowsOf(4), rowsOf(3, 4), []);
  expect(both).toEqual({ deleted: 0, total: 7 });
  const events = await world.store(run).events();
  expect(events).toContainEqual(expect.objectContaining({ step: 'two', cause: expect.stringContaining('1 row gone at the source stay') }));
  expect(await mirror(rowsOf(3), rowsOf(3, 4))).toMatchObject({ total: 6 });
});

test('runs of one file that mirror into one dataset keep a list of rows each, by the step of the run above and its item', async () => {
  await world.write(
    'pipelines/mirrors.yaml',
    `name: mirrors
params: { source: { type: path }, dataset: { type: string } }
steps:
  rows: { use: dataset.mirror, with: { dataset: "\${{ params.dataset }}", source: "\${{ params.source }}", id: { column: key }, deletes: { max: 100% }, others: keep } }
outputs: { added: "\${{ steps.rows.added }}", deleted: "\${{ steps.rows.deleted }}" }
`,
  );
  const call = (source: string): string => `{ use: ./mirrors.yaml, with: { dataset: "\${{ steps.dataset.id }}", source: ${source} } }`;
  const text = (items: string): string => `name: regions
params: { folder: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  each:
    forEach: { items: [${items}], parallel: 1, as: place }
    steps: { load: ${call("\"${{ params.folder + '/' + place + '.json' }}\"")} }
    outputs: { said: "\${{ place + ' +' + string(steps.load.added) + ' -' + string(steps.load.deleted) }}" }
  west: ${call('"${{ params.folder + \'/west.json\' }}"')}
outputs: { said: "\${{ steps.each.rows.map(row, row.said) }}", west: "\${{ steps.west.deleted }}", dataset: "\${{ steps.dataset.id }}" }
`;
  const dataset = newSlug('regions');
  const mirrored = async (items: string): Promise<unknown> => {
    const { result } = await world.run(text(items), { folder: join(world.dir, 'regions'), dataset });
    expect(result).toMatchObject({ state: 'done' });
    const { total_datums_in_project: total } = await world.api.projects.get({ project_id: result.outputs['dataset'] as string });
    return [result.outputs['said'], result.outputs['west'], total];
  };
  await world.write('regions/north.json', rowsOf(3));
  await world.write('regions/south.json', rowsOf(3, 100));
  await world.write('regions/west.json', rowsOf(3, 200));
  expect(await mirrored('north, south')).toEqual([['north +3 -0', 'south +3 -0'], 0, 9]);
  expect(await mirrored('south, north')).toEqual([['south +0 -0', 'north +0 -0'], 0, 9]);
});

test('chunks of files of one name that two pipelines read, or two turns of one, are rows of their own in the dataset that they share', async () => {
  const step = (files: string, dataset: string): string => `
      read: { use: documents.parse, with: { files: ${files} } }
      rows:
        use: dataset.mirror
        with: { dataset: "\${{ ${dataset} }}", source: "\${{ steps.read.chunks }}", id: { column: id }, others: keep, deletes: { max: 100% } }
`;
  const one = (name: string): string => `name: ${name}
params: { folder: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
${step('"${{ params.folder + \'/*\' }}"', 'steps.dataset.id').replaceAll(/^ {6}/gm, '  ')}
outputs: { rows: "\${{ steps.rows }}", dataset: "\${{ steps.dataset.id }}" }
`;
  const dataset = newSlug('letters');
  const mirrored = async (name: string) => {
    const { result } = await world.run(one(name), { folder: join(world.dir, name), dataset }, ['--accept', 'rows']);
    expect(result).toMatchObject({ state: 'done' });
    return result.outputs as { rows: object; dataset: string };
  };
  for (const name of ['letters', 'invoices', 'north', 'south']) await world.write(`${name}/page.md`, `A page of ${name}.`);
  expect((await mirrored('letters')).rows).toMatchObject({ added: 1, replaced: 0 });
  expect((await mirrored('invoices')).rows).toMatchObject({ added: 1, present: 0, replaced: 0 });
  expect((await mirrored('letters')).rows).toMatchObject({ added: 0, present: 1, replaced: 0 });

  const turns = `name: places
params: { folder: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  each:
    forEach: { items: [north, south], parallel: 1, as: place }
    steps:${step("\"${{ params.folder + '/' + place + '/*' }}\"", 'steps.dataset.id')}
    outputs: { added: "\${{ steps.rows.added }}" }
outputs: { rows: "\${{ steps.each.rows }}", dataset: "\${{ steps.dataset.id }}" }
`;
  const { result } = await world.run(turns, { folder: world.dir, dataset }, ['--accept', 'rows']);
  expect(result).toMatchObject({ state: 'done', outputs: { rows: [{ added: 1 }, { added: 1 }] } });
  const { total_datums_in_project: total } = await world.api.projects.get({ project_id: result.outputs['dataset'] as string });
  expect(total).toBe(4);
});

test('a turn over objects does not mirror a table that the run has made, whose list the next run would not find; one over texts does', async () => {
  const looped = (items: string): string => `name: made
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  made:
    forEach: { rows: "\${{ params.source }}", key: key, as: row }
    steps: { look: { use: api.call, with: { operation: maps.projects.list, input: {} } } }
    outputs: { key: "\${{ row.key }}" }
  each:
    forEach: { items: [${items}], parallel: 1 }
    steps:
      rows: { use: dataset.mirror, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ steps.made.results }}", columns: { key: key }, id: { column: key }, deletes: { max: 100% }, others: keep } }
    outputs: { added: "\${{ steps.rows.added }}", deleted: "\${{ steps.rows.deleted }}" }
outputs: { rows: "\${{ steps.each.rows }}" }
`;
  const dataset = newSlug('mirrored');
  const mirror = async (items: string, count: number) => {
    const source = await world.write('made.json', rowsOf(count));
    return (await world.run(looped(items), { source, dataset }, ['--accept', 'rows'])).result;
  };
  const { value, effects } = await world.effectsOf(() => mirror('{ name: north }', 3));
  expect(value).toMatchObject({ state: 'failed', error: { message: expect.stringMatching(/which a run has made: .*Go over texts/) } });
  expect(effects.filter(({ operation }) => operation.startsWith('maps.data.'))).toEqual([]);
  expect((await mirror('north', 3)).outputs['rows']).toEqual([{ added: 3, deleted: 0 }]);
  expect((await mirror('north', 2)).outputs['rows']).toEqual([{ added: 0, deleted: 1 }]);
});
