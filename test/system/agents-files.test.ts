import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { readResults } from '../../store/results.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

const pipeline = (given: object): string => `
name: agents
steps:
  ask:
    use: agent.run
    with: ${JSON.stringify({ prompt: 'Extract the emails.', everySeconds: 0.25, ...given })}
outputs: { ask: "\${{ steps.ask }}" }
`;

/** What the agents have said, by the names of their items, and how often a file was sent for it. */
async function saidBy(given: object) {
  const { value, calls } = await world.callsOf(() => world.run(pipeline(given)));
  const { run, state, outputs, error } = value.result;
  expect([state, error]).toEqual(['done', undefined]);
  const said: Record<string, string> = {};
  for await (const { item, text } of readResults(world.store(run), outputs['ask'].results as string)) said[String(item)] = String(text);
  return { run, said, uploads: calls.filter((operation) => operation === 'instance.files.upload').length };
}

/** A table with a row for each letter: its id, and the paths of its files. */
const table = async (name: string, columns: string, rows: readonly (readonly string[])[]): Promise<string> =>
  world.write(name, `${columns}\n${rows.map((row) => row.join(',')).join('\n')}\n`);

test('files of one name are each the file of their own row, as are those of a glob', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
  const rows = await Promise.all(
    names.map(async (name) => [name, await world.write(`rows/${name}/plan.txt`, `Write to ${name}@example.com.`)]),
  );
  const ofRows = await saidBy({ items: await table('rows.csv', 'id,path', rows), key: 'id', files: ['path'] });
  expect(ofRows.said).toEqual(Object.fromEntries(names.map((name) => [name, expect.stringContaining(`1 emails: ${name}@example.com`)])));
  for (const name of ['x', 'y', 'z']) await world.write(`globbed/${name}/plan.txt`, `Write to ${name}@example.org.`);
  const ofGlob = await saidBy({ documents: '../globbed/**/*.txt' });
  expect(ofGlob.said).toEqual(
    Object.fromEntries(['x', 'y', 'z'].map((name) => [`${name}/plan.txt`, expect.stringContaining(`1 emails: ${name}@example.org`)])),
  );
});

test('what stands in a row is said and opened as it stands there, and not as the number that it could be', async () => {
  for (const name of ['1.0', '1.10']) await world.write(`pipelines/${name}`, `Write to file-${name}@example.com.`);
  const items = await table('codes.csv', 'id,code,path', [
    ['a', '2.0', '1.0'],
    ['b', '3.50', '1.10'],
  ]);
  const { said: prompted } = await saidBy({ items, key: 'id', prompt: 'Extract the emails of this note: {{code}}@example.com' });
  expect(prompted).toEqual({ a: expect.stringContaining('1 emails: 2.0@example.com'), b: expect.stringContaining('1 emails: 3.50@') });
  const query = { sql: 'select id, code + 1 as more from codes where code > 3', tables: { codes: items } };
  const { said: asked } = await saidBy({ items: query, key: 'id', prompt: 'Extract the emails of this note: {{more}}@example.com' });
  expect(asked).toEqual({ b: expect.stringContaining('1 emails: 4.5@') });
  const { said: read } = await saidBy({ items, key: 'id', files: ['path'] });
  expect(read).toEqual({ a: '1 emails: file-1.0@example.com.', b: '1 emails: file-1.10@example.com.' });
});

test('two files of one name of one row are both read, in columns as in the slots of a workflow', async () => {
  const before = await world.write('before/p.txt', 'Write to before@example.com.');
  const after = await world.write('after/p.txt', 'Write to after@example.com.');
  const items = await table('pairs.csv', 'id,a,b', [['1', before, after]]);
  const both = expect.stringMatching(/^2 emails: (?=.*before@example\.com)(?=.*after@example\.com)/);
  expect((await saidBy({ items, key: 'id', files: ['a', 'b'] })).said).toEqual({ 1: both });
  const { workflows } = world.instance;
  const requestedFiles = [{ name: 'a' }, { name: 'b' }];
  const { id, versionId } = await workflows.create({ name: 'pairs', instructionMarkdown: 'Extract the emails.', requestedFiles });
  await workflows.release({ workflowId: id, versionId });
  expect((await saidBy({ items, key: 'id', prompt: undefined, workflow: id, inputs: { a: 'a', b: 'b' } })).said).toEqual({ 1: both });
});

test('equal bytes of many rows at once are sent once, and never again; the name of the file stands in its name at the service', async () => {
  const same = await Promise.all(['one', 'two'].map((folder) => world.write(`${folder}/once.txt`, 'Write to once@example.com.')));
  const rows = Array.from({ length: 24 }, (_, at) => [`r${at}`, same[at % 2]!]);
  const given = { items: await table('once.csv', 'id,path', rows), key: 'id', files: ['path'] };
  expect((await saidBy(given)).uploads).toBe(1);
  expect((await saidBy(given)).uploads).toBe(0);
  const { data } = await world.instance.files.search({ query: 'once.txt' });
  expect(data.map(({ name }) => name)).toEqual([expect.stringMatching(/^[0-9a-f]{12}-once\.txt$/)]);
});

test('a file that the service cannot take in fails its item: it is sent once by a run, and once more by a rerun', async () => {
  const path = await world.write('damaged.pdf', 'no PDF at all');
  const given = { items: await table('damaged.csv', 'id,path', [['1', path]]), key: 'id', files: ['path'] };
  const text = pipeline(given).replace('use: agent.run', 'use: agent.run\n    timeout: 5m');
  const { value, calls } = await world.callsOf(() => world.run(text));
  const { run } = value.result;
  const uploads = (all: readonly string[]): number => all.filter((operation) => operation === 'instance.files.upload').length;
  const reasons = async (of: string) => (await world.store(of).readItems({ step: 'ask', status: 'failed' })).map(({ reason }) => reason);
  const refused = [expect.stringContaining('damaged.pdf: the service could not take it in')];
  expect([await reasons(run), uploads(calls)]).toEqual([refused, 1]);
  const again = await world.callsOf(() => world.portolan(['rerun', run, '--json']));
  const last = JSON.parse(again.value.out.trim().split('\n').at(-1)!) as { run: string };
  expect([await reasons(last.run), uploads(again.calls)]).toEqual([refused, 1]);
});

test('what was remembered of a file by its name alone is not used again', async () => {
  const text = 'Write to right@example.com.';
  const path = await world.write('poisoned/plan.txt', text);
  const given = { items: await table('poisoned.csv', 'id,path', [['1', path]]), key: 'id', files: ['path'] };
  const { id } = await world.instance.files.upload({ file: new File(['Write to wrong@example.com.'], 'plan.txt') });
  const sha256 = createHash('sha256').update(text).digest('hex');
  await world.store('any').remember(`agent-file ${world.url} ${sha256} plan.txt`, { id });
  expect((await saidBy(given)).said).toEqual({ 1: expect.stringContaining('1 emails: right@example.com') });
});

test('a file that changes between the listing of its row and its upload fails its item, and a rerun reads it as it is then', async () => {
  const path = await world.write('changing.txt', 'Write to old@example.com.');
  const given = { items: await table('changing.csv', 'id,path', [['1', path]]), key: 'id', files: ['path'] };
  const { id } = await world.control.fault('instance.files.tempFolder', 1, { hold: 'before' });
  const { value, effects } = await world.effectsOf(async () => {
    const run = await world.start(pipeline(given));
    expect(await world.control.held(id)).toBe(true);
    await world.write('changing.txt', 'Write to new@example.com.');
    await world.control.release(id);
    return world.ended(run);
  });
  expect(effects.filter(({ operation }) => operation === 'instance.agents.launch')).toEqual([]);
  const { run } = value.view;
  expect((await world.store(run).readItems({ step: 'ask' })).map(({ status, reason }) => [status, reason])).toEqual([
    ['failed', expect.stringContaining('changing.txt: has changed since the step listed it')],
  ]);
  const { code, out } = await world.portolan(['rerun', run, '--json']);
  expect(code).toBe(0);
  const last = JSON.parse(out.trim().split('\n').at(-1)!) as { run: string; outputs: { ask: { results: string } } };
  for await (const { text } of readResults(world.store(last.run), last.outputs.ask.results)) expect(text).toContain('new@example.com');
});
