import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readResults } from '../../store/results.ts';
import { useWorld } from './support.ts';

const world = useWorld();

beforeAll(async () => {
  await world.control.agents({ pace: { from: 0, to: 0 } });
  for (const limit of ['instance/standard', 'instance/heavy', 'instance/write']) await world.control.limit(limit, 100_000, 60);
});

const notes = 'id,text\n1,Write to a@example.com.\n2,Nothing here.\n3,Call b@example.com or c@example.com.\n';

const pipeline = (items: string, more: object = {}): string => `
name: agents
steps:
  ask:
    use: agent.run
    tolerate: { capped: 100% }
    with: ${JSON.stringify({ items, key: 'id', prompt: 'Extract the emails of this note: {{text}}', everySeconds: 0.25, ...more })}
outputs: { ask: "\${{ steps.ask }}" }
`;

const rowsOf = async (run: string, results: string) => {
  const rows: Record<string, any>[] = [];
  for await (const row of readResults(world.store(run), results)) rows.push(row);
  return rows;
};

const launchedIn = (effects: readonly { operation: string }[]): number =>
  effects.filter(({ operation }) => operation === 'instance.agents.launch').length;

test('an agent for each row, launched once though answers are lost; what they said and cost is a table', async () => {
  const items = await world.write('notes.csv', notes);
  await world.control.fault('instance.agents.launch', 2, { lose: 'answer' });
  await world.control.fault('instance.agents.followup', 1, { lose: 'answer' });
  const followUps = [{ when: { says: 'No emails' }, prompt: 'Summarise the note in 1 sentence: {{text}}' }];
  const { value, effects } = await world.effectsOf(() => world.run(pipeline(items, { followUps })));
  const { result } = value;
  expect(result.state).toBe('done');
  expect(result.outputs['ask']).toMatchObject({ items: 3, done: 3, statuses: { done: 3 } });
  expect(launchedIn(effects)).toBe(3);
  expect(effects.filter(({ operation }) => operation === 'instance.agents.followup')).toHaveLength(1);
  const rows = await rowsOf(result.run, result.outputs['ask'].results as string);
  expect(rows.map(({ item, status, turns, text }) => [item, status, turns, text])).toEqual([
    ['1', 'done', 1, '1 emails: a@example.com.'],
    ['2', 'done', 2, expect.stringContaining('Nothing here')],
    ['3', 'done', 1, '2 emails: b@example.com; c@example.com.'],
  ]);
  const cost = rows.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0);
  expect([cost > 0, result.outputs['ask'].costUsd]).toEqual([true, expect.closeTo(cost, 9)]);

  // The report has what each model has cost, as the agents' own usage says it, and each item with its turns.
  expect((await world.portolan(['report', result.run])).code).toBe(0);
  const page = await readFile(world.store(result.run).path('report.html'), 'utf8');
  const { spend } = JSON.parse(await readFile(join(rows[0]!['folder'] as string, 'usage.json'), 'utf8')) as { spend: { model: string }[] };
  const tokens = rows.reduce((sum, { input_tokens }) => sum + Number(input_tokens), 0);
  expect(page).toContain(
    `<td>ask</td><td>${spend[0]!.model}</td><td>local</td><td class="n">3</td><td class="n">${tokens.toLocaleString('en-US')}</td>`,
  );
  expect(page).toMatch(/>2<\/span><\/td><td><span class="fate done">done<\/span><\/td><td class="n">2<\/td>/);
});

test('files are uploaded once for all items; artifacts are kept, also where the URL of an export has ended before it was read', async () => {
  const orders = await world.write('orders.csv', 'order,status\n1,open\n2,paid\n3,open\n');
  const items = await world.write('with-files.csv', `id,file\na,${orders}\nb,${orders}\n`);
  const { id } = await world.control.fault('instance.agents.export', 1, { hold: 'after' });
  const expire = async (): Promise<void> => {
    expect(await world.control.held(id)).toBe(true);
    await world.control.clock(301);
    await world.control.release(id);
  };
  const [{ value, effects }] = await Promise.all([
    world.effectsOf(() => world.run(pipeline(items, { prompt: 'Count the orders by status.', files: ['file'], exports: ['csv', 'xlsx'] }))),
    expire(),
  ]);
  await world.control.clock(0);
  expect(value.result.state).toBe('done');
  expect(effects.filter(({ operation, changed }) => operation === 'instance.files.upload' && changed > 0)).toHaveLength(1);
  for (const { folder } of await rowsOf(value.result.run, value.result.outputs['ask'].results as string)) {
    expect((await readdir(join(folder as string, 'artifacts'))).sort()).toEqual(
      ['csv', 'json', 'xlsx'].map((ending) => `01-orders.csv-count-by-status-v1.${ending}`),
    );
    expect(await readFile(join(folder as string, 'artifacts', '01-orders.csv-count-by-status-v1.csv'), 'utf8')).toBe(
      'status,count\nopen,2\npaid,1\n',
    );
  }
});

test('a cap in total launches no agent that could go beyond it, and a cap of 0 none at all', async () => {
  const items = await world.write('capped.csv', notes);
  const none = await world.effectsOf(() => world.run(pipeline(items, { cap: { item: 0 } })));
  expect([none.value.result.outputs['ask'].statuses, launchedIn(none.effects)]).toEqual([{ capped: 3 }, 0]);
  // The first one leaves less than what may be spent on the next.
  const few = await world.effectsOf(() => world.run(pipeline(items, { cap: { item: 1, total: 1.000_000_001 } })));
  expect([few.value.result.outputs['ask'].statuses, launchedIn(few.effects)]).toEqual([{ done: 1, capped: 2 }, 1]);
});

test('an agent that shows no change is stopped, and a rerun launches nothing anew that has finished', async () => {
  const items = await world.write('stalls.csv', 'id,text\n1,Write to a@example.com.\n2,Ask me which ship is meant.\n');
  const first = await world.effectsOf(() => world.run(pipeline(items, { stallSeconds: 1 })));
  expect(launchedIn(first.effects)).toBe(2);
  const { run } = first.value.result;
  expect((await world.store(run).readItems({ step: 'ask' })).map(({ item, status }) => [item, status])).toEqual([
    ['1', 'done'],
    ['2', 'stalled'],
  ]);
  const again = await world.effectsOf(() => world.portolan(['rerun', run, '--json']));
  expect(launchedIn(again.effects)).toBe(1);
});
