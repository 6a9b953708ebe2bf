import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { validate } from '../../pipelines/compile/compile.ts';
import { loadPipeline } from '../../pipelines/file/load.ts';
import { options } from './support.ts';

const made: string[] = [];
afterAll(() => Promise.all(made.map((dir) => rm(dir, { recursive: true, force: true }))));

/** What is found in a file whose step runs these pipelines, of which the first is named. */
async function found(given: string, subs: { [name: string]: string }, environment?: string): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-open-'));
  made.push(dir);
  for (const [name, text] of Object.entries(subs)) await writeFile(join(dir, name), text);
  const above = `name: above\nschedule: { cron: '15 6 * * *', window: day }\nsteps:\n  before: { use: acme.sample }\n  run: { use: ./${Object.keys(subs)[0]}, with: ${given} }\n`;
  await writeFile(join(dir, 'above.yaml'), above);
  const loaded = await loadPipeline(join(dir, 'above.yaml'));
  return validate(loaded, { ...options, baseDir: dir, ...(environment === undefined ? {} : { environment }) }).map(
    ({ code, message }) => `${code} ${message}`,
  );
}

const days = (more = ''): string => `name: days
params:
  from: { type: string, default: '2024-01-01' }
  to: { type: string, default: '2024-02-01' }
${more}steps:
  each:
    forEach: { window: { from: "\${{ params.from }}", to: "\${{ params.to }}", every: 1d } }
    steps: { one: { use: acme.sample } }
`;

const endsEarly = [expect.stringMatching(/^in-pipeline .*the window ends before it begins/)];

test('the default of a parameter that a step gives by an expression does not count', async () => {
  const to = '{ from: \'2025-01-01\', to: "${{ run.window.to }}" }';
  expect(await found(to, { 'days.yaml': days() })).toEqual([]);
  expect(await found("{ from: '2025-01-01' }", { 'days.yaml': days() })).toEqual(endsEarly);
  expect(await found("{ from: '2025-01-01', to: '2024-12-31' }", { 'days.yaml': days() })).toEqual(endsEarly);
});

test('nor does the value that the environment has for it, or its default further below', async () => {
  const to = '{ from: \'2025-01-01\', to: "${{ run.window.to }}" }';
  const there = days("environments: { test: { params: { to: '2024-03-01' } } }\n");
  expect(await found(to, { 'days.yaml': there }, 'test')).toEqual([]);
  expect(await found("{ from: '2025-01-01' }", { 'days.yaml': there }, 'test')).toEqual(endsEarly);
  const between =
    "name: between\nparams: { end: { type: string, default: '2024-02-01' } }\nsteps:\n  deep: { use: ./days.yaml, with: { from: '2025-01-01', to: \"${{ params.end }}\" } }\n";
  expect(await found('{ end: "${{ run.window.to }}" }', { 'between.yaml': between, 'days.yaml': days() })).toEqual([]);
  expect(await found('{}', { 'between.yaml': between, 'days.yaml': days() })).toEqual([expect.stringMatching(/ends before it begins/)]);
});

test('a key of a parameter that is given by an expression is not empty because its default is', async () => {
  const keyed =
    'name: keyed\nparams: { key: { type: string, default: "" } }\nconcurrency: "${{ params.key }}"\nsteps:\n  one: { use: acme.sample }\n';
  expect(await found('{ key: "${{ steps.before.text }}" }', { 'keyed.yaml': keyed })).toEqual([]);
  expect(await found('{}', { 'keyed.yaml': keyed })).toEqual([expect.stringMatching(/^in-pipeline .*concurrency/)]);
});
