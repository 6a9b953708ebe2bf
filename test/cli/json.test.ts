import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documents, type DocumentName } from '../../cli/json/documents.ts';
import { verbs } from '../../cli/verbs/index.ts';
import { createWorld } from '../service/world.ts';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-json-'));
  await writeFile(join(cwd, 'rows.csv'), 'id,day,note\n1,3/4/2024,a\n2,31/12/2023,\n');
  await writeFile(join(cwd, 'right.yaml'), 'name: x\nsteps:\n  a: { use: dataset.ensure, with: { slug: a } }\n');
  await writeFile(join(cwd, 'p.yaml'), 'name: x\nsteps:\n  a:\n    use: dataset.ensur\n    with: { slug: a }\n');
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

test.each<[DocumentName, string[], number]>([
  ['finding', ['validate', 'p.yaml', '--json'], 2],
  ['error', ['plan', 'p.yaml', '--json'], 2],
  ['error', ['steps', 'dataset.ensur', '--json'], 2],
  ['step', ['steps', '--json'], 0],
  ['preview', ['preview', 'rows.csv', '--json'], 0],
  ['plan', ['plan', 'right.yaml', '-c', 'local', '--offline', '--json'], 0],
  ['check', ['doctor', '--json'], 1],
])('a document %s is what its schema says: %j', async (name, argv, exit) => {
  const { code, out } = await portolan(argv, { cwd });
  expect(code).toBe(exit);
  const lines = out.trim().split('\n');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) documents[name].schema.parse(JSON.parse(line));
});

test('the page of JSON names every verb that writes some, and every document', async () => {
  const page = await readFile(new URL('../../docs/json.md', import.meta.url), 'utf8');
  // In the first column of its first table, where what a verb writes stands.
  const rows = [...page.split('\n\nAll speak')[0]!.matchAll(/^\| (`.*?) \|/gm)].map(([, names]) => names!);
  for (const entry of verbs) {
    const { options } = await entry.load();
    if (options['json']?.type === 'boolean')
      expect(
        rows.some((names) => new RegExp(`\`${entry.name}[\` ]`).test(names)),
        entry.name,
      ).toBe(true);
  }
  for (const name of Object.keys(documents)) expect(page).toContain(`\n| \`${name}\` | `);
});

test('dev that is stopped or reset, and a key that is made, are JSON too', async () => {
  expect(JSON.parse((await portolan(['dev', '--stop', '--json'], { cwd })).out)).toEqual({ stopped: false });
  expect(JSON.parse((await portolan(['dev', '--reset', '--json'], { cwd })).out)).toEqual({ removed: [] });
  const data = join(cwd, 'service');
  await (await createWorld({ dataDir: data })).close();
  const made = await portolan(['service', 'keys', 'create', '--data', data, '--scope', 'developer:files', '--json'], { cwd });
  expect(JSON.parse(made.out)).toEqual({ key: expect.any(String) });
});

test('every document is written by verbs that there are, and has a field that no other kind of line is taken for', () => {
  const names = verbs.map(({ name }) => name);
  for (const { by } of Object.values(documents)) for (const verb of by) expect([...names, 'every command']).toContain(verb);
  for (const { schema } of Object.values(documents)) expect(schema.safeParse({ unheard: 'of' }).success).toBe(false);
});
