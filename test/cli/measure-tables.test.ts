import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lendTables } from '../../cli/start/lent-tables.ts';
import { measureTables } from '../../cli/start/measure-tables.ts';
import { batchesOf } from '../../contracts/maps/batches.ts';
import { BadInput, NotFetched } from '../../errors/classes.ts';
import { anyConnection, type DatasetFacts } from '../../pipelines/step.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { planOf } from '../pipelines/support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-measure-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** `failure`: what measuring a table ends with. */
const measured = async (text: string, datasets: ReadonlyMap<string, DatasetFacts>, failure?: Error) => {
  const plan = planOf(text, { baseDir: cwd });
  const connection = () => ({ ...anyConnection, batch: batchesOf({ rows: 16 }) });
  await using lent = lendTables();
  const measure = failure && (() => Promise.reject(failure));
  const tables = { ...lent, get: async () => ({ ...(await lent.get()), ...(measure && { measure }) }) };
  return await measureTables(plan, {
    steps,
    datasets,
    connection,
    tables,
    mark: async () => undefined,
    there: async () => undefined,
    signal: new AbortController().signal,
  });
};

const append = (source: string, more = ''): string =>
  `{ use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ${source}, id: { column: k } }${more} }`;
const two = `name: two
steps:
  dataset: { use: dataset.ensure, with: { slug: two } }
  one: ${append('one.csv')}
  two: ${append('two.csv', ', needs: [one]')}
  away: ${append('/srv/elsewhere/none.csv', ', needs: [two]')}
`;

test('a table is measured as its dataset takes it: by the columns that the table before it has given it', async () => {
  const rows = (count: number, value: (at: number) => string): string =>
    `k,n\n${Array.from({ length: count }, (_, at) => `k${at},${value(at)}`).join('\n')}\n`;
  await writeFile(join(cwd, 'one.csv'), rows(40, String));
  // A text in each tenth row: in a dataset of numbers these rows are refused.
  await writeFile(
    join(cwd, 'two.csv'),
    rows(40, (at) => (at % 10 === 0 ? 'none' : String(at))),
  );
  const fresh = await measured(two, new Map([['dataset', { exists: false, rows: 0 }]]));
  expect([...fresh.tables].map(([step, { rows: all, sent, shards }]) => [step, all, sent, shards])).toEqual([
    ['one', 40, 40, 3],
    ['two', 40, 36, 3],
  ]);
  expect(fresh.unread).toMatchObject([{ step: 'away', because: 'it is not on this host' }]);
});

test('what a dataset refuses whole is said of the step, before a row is sent', async () => {
  await writeFile(join(cwd, 'one.csv'), 'k,n\na,1\n');
  await writeFile(join(cwd, 'two.csv'), 'k,m\nb,1\n');
  const { tables, unread } = await measured(two, new Map([['dataset', { exists: false, rows: 0 }]]));
  expect([...tables.keys()]).toEqual(['one']);
  expect(unread[0]).toMatchObject({ step: 'two', because: expect.stringContaining('column n (int32) of the dataset is missing') });
});

test('a step fails for what is wrong with its rows, and not for what is elsewhere or too much here, nor where a run may do without it', async () => {
  await writeFile(join(cwd, 'one.csv'), 'k,n\na,1\n');
  const fails = async (more: string, failure?: Error): Promise<unknown> => {
    const text = `name: one
steps:
  dataset: { use: dataset.ensure, with: { slug: one } }
  one: ${append('one.csv', more)}
`;
    const { unread } = await measured(text, new Map([['dataset', { exists: false, rows: 0 }]]), failure);
    return unread.map((each) => each.fails);
  };
  const wrong = new BadInput('bad_input', 'Could not convert');
  expect(await fails('', wrong)).toEqual([true]);
  expect(await fails(`, when: "\${{ run.id == 'none' }}"`, wrong)).toEqual([undefined]);
  expect(await fails('', new BadInput('too_large', 'needs more memory'))).toEqual([undefined]);
  expect(await fails('', new NotFetched('gone', 'look there'))).toEqual([undefined]);
  expect(await fails('')).toEqual([]);
});

test('of a dataset that nobody has looked at, and of a turn of a loop, it is not known from which mark a run reads', async () => {
  await writeFile(join(cwd, 'one.csv'), 'k,n\na,1\nb,2\n');
  const since = (dataset: string) =>
    `{ use: dataset.append, with: { dataset: ${dataset}, source: one.csv, id: { column: k }, since: { column: n } } }`;
  const text = `name: marked
steps:
  dataset: { use: dataset.ensure, with: { slug: marked } }
  rows: ${since('"${{ steps.dataset.id }}"')}
  each: { forEach: { items: [1, 2], parallel: 1 }, steps: { turn: ${since('0f8fad5b-d9cb-469f-a165-70867728950e')} } }
`;
  const since0 = async (datasets: ReadonlyMap<string, DatasetFacts>) =>
    Object.fromEntries([...(await measured(text, datasets)).tables].map(([step, table]) => [step, table.since]));
  const all = { of: 2, noun: 'row' };
  expect(await since0(new Map([['dataset', { exists: false, rows: 0 }]]))).toEqual({ rows: { from: null, ...all }, turn: all });
  expect(await since0(new Map())).toEqual({ rows: all, turn: all });
});

test('rows that become no rows of a dataset are counted: an agent is launched for each', async () => {
  await writeFile(join(cwd, 'notes.csv'), 'id,text\na,one\nb,two\nc,three\n');
  const { tables, unread } = await measured(
    `name: ask
steps:
  ask: { use: agent.run, with: { items: notes.csv, key: id, prompt: "Summarise: {{text}}" } }
`,
    new Map(),
  );
  expect([tables.get('ask')?.rows, unread]).toEqual([3, []]);
});
