import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-items-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** What `validate` says of a loop whose turns search for this expression: codes, messages and remedies. */
async function findings(over: string, code: string, more = ''): Promise<string[]> {
  await writeFile(
    join(cwd, 'p.yaml'),
    `name: p
steps:
  each:
    forEach: { ${over} }${more}
    steps:
      find: { use: api.call, with: { operation: instance.projects.list, input: { search: "\${{ ${code} }}" } } }
`,
  );
  const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { code: string; message: string; remedy: string })
    .map((found) => `${found.code}: ${found.message}: ${found.remedy}`);
}

test('a field that no item has is a finding, with those that there are', async () => {
  expect(await findings('items: [{ key: a }, { key: b, name: c }]', 'item.nmae')).toEqual([
    expect.stringMatching(
      /^no-such-field: the items have no field 'nmae', which item\.nmae reads; did you mean 'name'\?; they have key, name: /,
    ),
  ]);
  expect(await findings('window: { from: 2026-01-01, to: 2026-01-03, every: 1d }, as: day', 'day.frm')).toEqual([
    expect.stringMatching(
      /^no-such-field: the items have no field 'frm', which day\.frm reads; did you mean 'from'\?; they have from, to: /,
    ),
  ]);
  expect(await findings('matrix: { size: [s, m], hue: [red] }', 'item.weight')).toEqual([
    expect.stringMatching(/^no-such-field: the items have no field 'weight'.*; they have size, hue: take one of these/),
  ]);
  expect(await findings('items: [one, two]', 'item.name')).toEqual([
    "no-such-field: the items have no field 'name', which item.name reads; they are no objects: read item itself",
  ]);
});

test('nothing is said of a field that an item has, that may be missing, or of items that nobody knows before the run', async () => {
  const objects = 'items: [{ key: a }, { key: b, name: c }]';
  expect(await findings(objects, 'item.name')).toEqual([]);
  expect(await findings(objects, "item.?title.orValue('')")).toEqual([]);
  expect(await findings(objects, 'item.title', '\n    tolerate: { failed: 100% }')).toEqual([]);
  expect(await findings(objects, 'item.title', `\n    when: "\${{ run.id == 'none' }}"`)).toEqual([]);
  expect(await findings('items: "${{ [run.id] }}"', 'item.title')).toEqual([]);
  expect(await findings('items: ["${{ run.id }}"]', 'item.title')).toEqual([]);
  expect(await findings('items: []', 'item.title')).toEqual([]);
});

test('a file that is not there hides nothing that is wrong with another', async () => {
  await writeFile(join(cwd, 'there.csv'), 'key,title\na,Heat\n');
  const append = (source: string): string =>
    `{ use: dataset.append, with: { dataset: "\${{ steps.d.id }}", source: ${source}, id: { column: nope } } }`;
  await writeFile(
    join(cwd, 'p.yaml'),
    `name: p
steps:
  d: { use: dataset.ensure, with: { slug: films } }
  one: ${append('none.csv')}
  two: ${append('there.csv')}
`,
  );
  const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
  const codes = out.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as { code: string; line: number }).code] : []));
  expect(codes).toEqual(['no-such-file', 'no-such-column']);
});
