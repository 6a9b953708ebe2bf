import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tsconfigTemplate } from '../../cli/project/templates.ts';
import { portolan } from './support.ts';

const root = new URL('../../', import.meta.url).pathname;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-types-'));
  await mkdir(join(dir, 'steps'));
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
  const { compilerOptions, include } = JSON.parse(tsconfigTemplate) as { compilerOptions: object; include: string[] };
  // The package is its sources here.
  const paths = { portolan: [join(root, 'index.ts')] };
  const ambient = join(root, 'store/parquetjs-lite.d.ts');
  await writeFile(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, paths }, include: [...include, ambient] }),
  );
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const compiled = (): Promise<string> =>
  promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', dir]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );

test('the types of a new project take what step new writes, what the page of own steps shows, and what Node has', async () => {
  for (const option of [[], ['--items'], ['--poll']]) {
    const name = `new${option.join('')}`;
    expect((await portolan(['step', 'new', name, ...option], { cwd: dir })).code).toBe(0);
  }
  const page = await readFile(join(root, 'docs/own-steps.md'), 'utf8');
  const shown = [...page.matchAll(/```ts\n(import .*?)```/gs)].map(([, text]) => text!);
  expect(shown.length).toBeGreaterThan(1);
  for (const [at, text] of shown.entries()) await writeFile(join(dir, `steps/shown-${at}.mts`), text);
  await writeFile(
    join(dir, 'steps/node.mts'),
    `import { readFile } from 'node:fs/promises';
export const read = async (signal: AbortSignal): Promise<Buffer> =>
  Buffer.concat([await readFile('a'), Buffer.from(await (await fetch('https://localhost', { signal })).arrayBuffer())]);
`,
  );
  expect(await compiled()).toBe('');
  const wrong = (name: string, text: string): Promise<void> => writeFile(join(dir, `steps/wrong-${name}.mts`), text);
  await wrong('poll', page.match(/```ts\n(import .*?definePoll.*?)```/s)![1]!.replace('file: job.file', 'file: 1'));
  const sweep = await readFile(join(dir, 'steps/new--items.mts'), 'utf8');
  await wrong('result', sweep.replace('result: { name,', 'result: { name: 1,'));
  await wrong(
    'row',
    `import { defineSweep, z } from 'portolan';
export default defineSweep({
  name: 'own.again',
  input: z.strictObject({ rows: z.string() }),
  effect: 'safe',
  items: ({ rows }, context) => context.rows(rows),
  each: (row) => void row['score'].toFixed(),
});
`,
  );
  const said = await compiled();
  expect(said).toMatch(/steps\/wrong-poll\.mts\(\d+,\d+\): error TS2322/);
  expect(said).toMatch(/steps\/wrong-result\.mts\(\d+,\d+\): error TS2322/);
  expect(said).toMatch(/steps\/wrong-row\.mts\(7,\d+\): error TS2571: .*unknown/);
});
