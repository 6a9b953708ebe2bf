import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { agentsPipeline, countOf, rowsIn } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

const notes = 'id,text\n1,Write to a@example.com.\n2,Nothing here.\n3,Call b@example.com or c@example.com.\n';

const pipeline = agentsPipeline;

const rowsOf = (run: string, results: string) => rowsIn(world, run, results);

const launchedIn = (effects: readonly { operation: string }[]): number => countOf(effects, 'instance.agents.launch');

test.each([
  ['may search the web', { webSearch: true }, true],
  ['may not', { webSearch: false }, false],
  ['is not said to', {}, false],
])('an agent that %s is launched so: the local worker, which reaches no web, says it', async (_, capabilities, said) => {
  const items = await world.write('web.csv', 'id,text\n1,Write to a@example.com.\n');
  const { result } = await world.run(pipeline(items, capabilities));
  expect(result.state).toBe('done');
  const [row] = await rowsOf(result.run, result.outputs['ask'].results as string);
  expect([row!['text'].includes('the web was not searched'), row!['text'].includes('a@example.com')]).toEqual([said, true]);
});

test('model, mode and the search of codes are those that the step names', async () => {
  const items = await world.write('codes.csv', 'id,text\n1,What do the codes say about doors?\n');
  const { result } = await world.run(pipeline(items, { prompt: '{{text}}', model: 'large', mode: 'high', codeSearch: true }));
  expect(result.state).toBe('done');
  const [row] = await rowsOf(result.run, result.outputs['ask'].results as string);
  expect(row!['text']).not.toContain('Codes were not searched');
  const [agent] = (await world.instance.agents.list({ limit: 1 })).data;
  expect((await world.instance.agents.get({ id: agent!.id })).model).toBe('large');
  // No answer of the service shows it.
  using records = new DatabaseSync(join(world.state, 'service', 'records.sqlite'), { readOnly: true });
  expect(records.prepare('SELECT mode FROM agents WHERE id = ?').get(agent!.id)).toMatchObject({ mode: 'high' });
});

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

  // What chunks tell their step beside the fates is nobody else's.
  const status = (await world.portolan(['status', result.run])).out;
  expect([status.includes('nanoUsd'), /ask +3 items · 3 done · \$0\.0/.test(status)]).toEqual([false, true]);

  // The report has what each model has cost, as the agents' own usage says it, and each item with its turns.
  expect((await world.portolan(['report', result.run])).code).toBe(0);
  const page = await readFile(world.store(result.run).path('report.html'), 'utf8');
  const { spend } = JSON.parse(await readFile(join(rows[0]!['folder'] as string, 'usage.json'), 'utf8')) as { spend: { model: string }[] };
  const tokens = rows.reduce((sum, { input_tokens }) => sum + Number(input_tokens), 0);
  expect(page).toContain(
    `<td>ask</td><td>${spend[0]!.model}</td><td>whose key ${world.connection} has</td><td class="n">3</td><td class="n">${tokens.toLocaleString('en-US')}</td>`,
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
    const kept = (await readdir(join(folder as string, 'artifacts'))).sort();
    // The name of the file stands behind what its bytes alone have.
    const ending = /^01-[0-9a-f]{12}-orders\.csv-count-by-status-v1\.(.+)$/;
    expect(kept.map((name) => ending.exec(name)?.[1])).toEqual(['csv', 'json', 'xlsx']);
    expect(await readFile(join(folder as string, 'artifacts', kept[0]!), 'utf8')).toBe('status,count\nopen,2\npaid,1\n');
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

test('a file that comes to a glob after the start is refused, and no agent is launched', async () => {
  await world.write('late/a.txt', 'Write to a@example.com.');
  const { id } = await world.control.fault('instance.agents.list', 1, { hold: 'before' });
  const { value, effects } = await world.effectsOf(async () => {
    const run = await world.start(
      pipeline('', { items: undefined, key: undefined, documents: '../late/*', prompt: 'Extract the emails.' }),
    );
    expect(await world.control.held(id)).toBe(true);
    await world.write('late/b.txt', 'Write to b@example.com.');
    await world.control.release(id);
    return world.ended(run);
  });
  expect(value.view).toMatchObject({ state: 'failed', error: { type: 'BadInput', step: 'ask' } });
  expect([value.view.error!.message, launchedIn(effects)]).toEqual([expect.stringContaining('changed since the run started'), 0]);
});

/** A workflow of the local service with one slot, released. */
const workflowOf = async (instructionMarkdown: string, slot: string): Promise<string> => {
  const { workflows } = world.instance;
  const { id, versionId } = await workflows.create({ name: slot, instructionMarkdown, requestedFiles: [{ name: slot }] });
  await workflows.release({ workflowId: id, versionId });
  return id;
};

test('each file of a glob is an item, which the agent may read; one that has changed is launched anew by a rerun, another is not', async () => {
  await world.write('inbox/a.txt', 'Write to a@example.com.');
  await world.write('inbox/b.csv', 'mail\nb@example.com\n');
  const text = pipeline('', { items: undefined, key: undefined, documents: '../inbox/*', prompt: 'Extract the emails of {{name}}.' });
  const first = await world.effectsOf(() => world.run(text));
  const { run, outputs } = first.value.result;
  expect([outputs['ask'].statuses, launchedIn(first.effects)]).toEqual([{ done: 2 }, 2]);
  const rows = await rowsOf(run, outputs['ask'].results as string);
  expect(rows.map(({ item, text: said }) => [item, said])).toEqual([
    ['a.txt', '1 emails: a@example.com.'],
    ['b.csv', expect.stringContaining('b.csv: 1 row')],
  ]);
  await world.write('inbox/a.txt', 'Write to c@example.com.');
  const again = await world.effectsOf(() => world.portolan(['rerun', run, '--from', 'ask', '--json']));
  expect([again.value.code, launchedIn(again.effects)]).toEqual([0, 1]);
});

test('of a launch whose answer is lost its own agent alone is asked for its mark, whatever else was launched', async () => {
  const rows = Array.from({ length: 8 }, (_, at) => `${at},Note ${at}.`);
  const items = await world.write('eight.csv', `id,text\n${rows.join('\n')}\n`);
  const asked = async (): Promise<number> =>
    (await world.control.requests()).rows.filter(({ operation }) => operation === 'instance.agents.conversation').length;
  const before = await asked();
  await world.control.fault('instance.agents.launch', 8, { lose: 'answer' });
  const { result } = await world.run(pipeline(items));
  expect(result.outputs['ask']).toMatchObject({ done: 8 });
  // That of each agent when it has ended, and one for the mark.
  expect((await asked()) - before).toBe(9);
});

test('a workflow is run for each row with the file of its slot, once though the answer is lost', async () => {
  const workflow = await workflowOf('Extract the emails.', 'letter');
  const letters = await Promise.all(['x', 'y'].map((name) => world.write(`${name}.txt`, `Write to ${name}@example.com.`)));
  const items = await world.write('letters.csv', `id,path\nx,${letters[0]}\ny,${letters[1]}\n`);
  await world.control.fault('instance.agents.launch', 1, { lose: 'answer' });
  const { value, effects } = await world.effectsOf(() =>
    world.run(pipeline(items, { prompt: undefined, workflow, inputs: { letter: 'path' } })),
  );
  const { run, outputs } = value.result;
  expect([outputs['ask'].statuses, launchedIn(effects)]).toEqual([{ done: 2 }, 2]);
  expect((await rowsOf(run, outputs['ask'].results as string)).map(({ text }) => text)).toEqual([
    '1 emails: x@example.com.',
    '1 emails: y@example.com.',
  ]);
});

test('an agent whose usage comes to its cap is stopped, and turns bound its prompts', async () => {
  const items = await world.write('asks.csv', 'id,text\n1,Ask me which ship is meant.\n');
  const capped = await world.run(pipeline(items, { prompt: '{{text}}', cap: { item: 0.000_000_001 } }));
  expect(capped.result.outputs['ask'].statuses).toEqual({ capped: 1 });
  const [row] = await rowsOf(capped.result.run, capped.result.outputs['ask'].results as string);
  expect(Number(row!['cost_usd'])).toBeGreaterThan(0);
  const notesFile = await world.write('none.csv', 'id,text\n1,Nothing here.\n');
  const followUps = [{ when: { says: 'No emails' }, prompt: 'Extract the emails of this note: {{text}}' }];
  const bound = await world.effectsOf(() => world.run(pipeline(notesFile, { followUps, turns: 3 })));
  expect(bound.effects.filter(({ operation }) => operation === 'instance.agents.followup')).toHaveLength(2);
});

test('the cap of a run holds for all of its steps together', async () => {
  const items = await world.write('both.csv', notes);
  const step = { items, key: 'id', prompt: 'Extract the emails of this note: {{text}}', everySeconds: 0.25 };
  const cap = { item: 1, run: 1.000_000_001 };
  const { value, effects } = await world.effectsOf(() =>
    world.run(`
name: both
steps:
  one: { use: agent.run, tolerate: { capped: 100% }, with: ${JSON.stringify({ ...step, cap })} }
  two: { use: agent.run, needs: [one], tolerate: { capped: 100% }, with: ${JSON.stringify({ ...step, cap })} }
outputs: { one: "\${{ steps.one.statuses }}", two: "\${{ steps.two.statuses }}" }
`),
  );
  expect([value.result.outputs, launchedIn(effects)]).toEqual([{ one: { done: 1, capped: 2 }, two: { capped: 3 } }, 1]);
});

test('a paused run launches nothing more, and goes on where it was', async () => {
  const items = await world.write(
    'many.csv',
    `id,text\n${Array.from({ length: 24 }, (_, at) => `${at},Write to a${at}@example.com.`).join('\n')}\n`,
  );
  // Eight are launched at a time: all that are under way when the pause comes.
  const held = await world.control.fault('instance.agents.launch', 9, { hold: 'before' }, 8);
  const before = (await world.control.journal()).rows.length;
  const run = await world.start(pipeline(items));
  expect(await world.control.held(held.id)).toBe(true);
  expect((await world.portolan(['pause', run])).code).toBe(0);
  const stopped = await world.until(
    run,
    ({ view, pending }) => view.state === 'paused' && !pending.some(({ type }) => type === 'agent.run'),
  );
  await world.control.release(held.id);
  expect(stopped.view.state).toBe('paused');
  const launched = launchedIn((await world.control.journal()).rows.slice(before));
  expect(launched).toBeLessThan(24);
  expect((await world.portolan(['resume', run])).code).toBe(0);
  expect((await world.ended(run)).view.state).toBe('done');
  expect(launchedIn((await world.control.journal()).rows.slice(before))).toBe(24);
});

test('a budget that is spent midway stops the run with its code, and a rerun pays nothing finished twice', async () => {
  const items = await world.write('budget.csv', notes);
  await world.control.contract({ amountCents: 1 });
  const { id } = await world.control.fault('instance.agents.launch', 2, { hold: 'before' });
  const spend = async (): Promise<void> => {
    expect(await world.control.held(id)).toBe(true);
    await world.control.spend({ run: 'another', nanoUsd: 10_000_000 });
    await world.control.release(id);
  };
  // One after the other: none is under way when the budget ends.
  const once = pipeline(items, { cap: { item: 1, total: 1.9 } });
  const [stopped] = await Promise.all([world.effectsOf(() => world.run(once)), spend()]);
  const { run, state, error } = stopped.value.result;
  expect([state, error?.message, launchedIn(stopped.effects)]).toEqual([
    'failed',
    expect.stringContaining('the budget of the organization is exhausted'),
    1,
  ]);
  // None of those that were to come has failed: they wait for the rerun.
  expect(await world.store(run).readItems({ step: 'ask', status: 'failed' })).toEqual([]);
  expect((await world.portolan(['why', run])).out).toContain('portolan rerun');
  await world.control.contract({ amountCents: 1_000_000 });
  const again = await world.effectsOf(() => world.portolan(['rerun', run, '--json']));
  expect(again.value.code).toBe(0);
  expect(launchedIn(again.effects)).toBe(2);
});

test('a budget that is spent while an agent is under way ends the run after that one, whose result is kept', async () => {
  const items = await world.write('under-way.csv', 'id,text\n1,Write to a@example.com.\n2,Write to b@example.com.\n');
  const newest = async () => (await world.instance.agents.list({ limit: 1 })).data[0]!;
  const before = (await newest()).id;
  const { id } = await world.control.fault('instance.agents.launch', 2, { hold: 'before' });
  const spend = async (): Promise<void> => {
    expect(await world.control.held(id)).toBe(true);
    // The one that was launched works while the other one is held.
    for (let seen = await newest(); seen.id === before || seen.status !== 'finished';) seen = await newest();
    await world.control.contract({ amountCents: 1 });
    await world.control.release(id);
  };
  const [{ value, effects }] = await Promise.all([world.effectsOf(() => world.run(pipeline(items))), spend()]);
  await world.control.contract({ amountCents: 1_000_000 });
  const { run, state } = value.result;
  expect([state, launchedIn(effects)]).toEqual(['failed', 1]);
  expect((await world.store(run).readItems({ step: 'ask', status: 'done' })).length).toBe(1);
});

test('an agent that has ended, and whose result cannot be fetched, has cost what it has: a rerun goes on with it and pays for nothing twice', async () => {
  const orders = await world.write('unfetched-orders.csv', 'order,status\n1,open\n2,paid\n');
  const items = await world.write('unfetched.csv', `id,file\n1,${orders}\n2,${orders}\n`);
  const files = pipeline(items, { files: ['file'], prompt: 'Count the orders by status.', cap: { item: 1, total: 2 } });
  await world.control.fault('instance.agents.artifact', 1, { status: 410 });
  const first = await world.effectsOf(() => world.run(files));
  const { run, state } = first.value.result;
  expect([state, launchedIn(first.effects)]).toEqual(['failed', 2]);
  const [failed] = await world.store(run).readItems({ step: 'ask', status: 'failed' });
  expect(failed).toMatchObject({ reason: expect.stringContaining('410') });
  const again = await world.effectsOf(() => world.portolan(['rerun', run, '--json']));
  expect([again.value.code, launchedIn(again.effects)]).toEqual([0, 0]);
  const last = JSON.parse(again.value.out.trim().split('\n').at(-1)!) as { run: string; outputs: { ask: { results: string } } };
  const rows = await rowsOf(last.run, last.outputs.ask.results);
  expect(rows.map(({ status, cost_usd, artifacts }) => [status, Number(cost_usd) > 0, artifacts])).toEqual([
    ['done', true, 1],
    ['done', true, 1],
  ]);
});

test('what an agent has cost whose result cannot be fetched is a row of the results, and counts against the cap of a rerun that launches it anew', async () => {
  const orders = await world.write('counted-orders.csv', 'order,status\n1,open\n2,paid\n');
  const items = await world.write('counted.csv', `id,file\n1,${orders}\n`);
  const counting = (word: string, cap: object): string =>
    pipeline(items, { files: ['file'], prompt: `Count the orders by ${word}.`, cap }).replace('100% }', '100%, failed: 100% }');
  await world.control.fault('instance.agents.artifact', 1, { status: 410 });
  const first = await world.run(counting('status', { item: 1, total: 1 }));
  const { run, state, outputs } = first.result;
  expect(state).toBe('done');
  const [row] = await rowsOf(run, outputs['ask'].results as string);
  expect(row).toMatchObject({ status: 'failed', agent: expect.any(String), text: null });
  expect(Number(row!['cost_usd'])).toBeGreaterThan(0);
  expect(outputs['ask'].costUsd).toBeCloseTo(Number(row!['cost_usd']), 9);
  // Of the cap, less than an item may cost is left.
  const file = await world.pipeline(counting('order', { item: 1, total: 1 }));
  const again = await world.effectsOf(() => world.portolan(['rerun', run, '--failed-only', '--file', file, '--json']));
  expect([again.value.code, launchedIn(again.effects)]).toEqual([0, 0]);
  const { outputs: later } = JSON.parse(again.value.out.trim().split('\n').at(-1)!) as { outputs: { ask: object } };
  expect(later.ask).toMatchObject({ statuses: { capped: 1 } });
});

test('what an item has cost that reruns take over counts once against the cap, in each of them', async () => {
  const items = await world.write('thrice.csv', 'id,text\n1,Write to a@example.com.\n2,Write to b@example.com.\n');
  const refuseSecond = (nth: number) => world.control.fault('instance.agents.launch', nth, { status: 400 });
  await refuseSecond(2);
  const first = await world.run(pipeline(items, { cap: { item: 1, total: 2 } }));
  const ids = [first.result.run];
  const costs: number[] = [];
  for (const last of [false, true]) {
    if (!last) await refuseSecond(1);
    const { out } = await world.portolan(['rerun', ids.at(-1)!, '--json']);
    const { run } = JSON.parse(out.trim().split('\n').at(-1)!) as { run: string };
    ids.push(run);
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(world.store(run).path('reservations', 'ask.sqlite'));
    costs.push(
      ...(db.prepare("SELECT amount FROM reserved WHERE item NOT IN ('1', '2')").all() as { amount: number }[]).map(({ amount }) => amount),
    );
    db.close();
  }
  expect(costs).toEqual([0, 0]);
  expect((await world.store(ids.at(-1)!).readItems({ step: 'ask', status: 'done' })).map(({ item }) => item)).toEqual(['1', '2']);
});

test('what is known of an agent that goes on counts against the cap before anything is launched beside it', async () => {
  const orders = await world.write('beside-orders.csv', 'order,status\n1,open\n2,paid\n');
  const items = await world.write('beside.csv', `id,file\n2,${orders}\n`);
  const more = { files: ['file'], prompt: 'Count the orders by status.', cap: { item: 1, total: 1.000_000_01 } };
  await world.control.fault('instance.agents.artifact', 1, { status: 410 });
  const first = await world.run(pipeline(items, more));
  expect(first.result.state).toBe('failed');
  await world.write('beside.csv', `id,file\n1,${orders}\n2,${orders}\n`);
  const again = await world.effectsOf(() => world.portolan(['rerun', first.result.run, '--json']));
  expect([again.value.code, launchedIn(again.effects)]).toEqual([0, 0]);
  const { outputs } = JSON.parse(again.value.out.trim().split('\n').at(-1)!) as { outputs: { ask: object } };
  expect(outputs.ask).toMatchObject({ statuses: { done: 1, capped: 1 } });
});

test('what an agent under way may cost is set aside before anything is launched beside it', async () => {
  const asking = '2,Ask me which ship is meant.';
  const items = await world.write('under-cap.csv', `id,text\n${asking}\n`);
  const capped = pipeline(items, { stallSeconds: 1, cap: { item: 1, total: 1.5 }, prompt: '{{text}}' });
  const newest = async () => (await world.instance.agents.list({ limit: 1 })).data[0];
  const before = (await newest())?.id;
  // Its agent waits for what nobody says, and is no item that this run sees to its end.
  const first = await world.start(capped.replace('"stallSeconds":1', '"stallSeconds":3600'));
  for (let seen = await newest(); seen === undefined || seen.id === before || seen.status !== 'awaiting_tool';) seen = await newest();
  await world.portolan(['cancel', first]);
  await world.ended(first);
  await world.write('under-cap.csv', `id,text\n1,Write to a@example.com.\n${asking}\n`);
  const file = await world.pipeline(capped);
  const again = await world.effectsOf(() => world.portolan(['rerun', first, '--file', file, '--json']));
  expect(again.effects.map(({ operation }) => operation).filter((each) => /launch|stop/.test(each))).toEqual([
    'instance.agents.stop',
    'instance.agents.launch',
  ]);
});

test('an agent that is to stop and was not reached is asked again, also by a rerun', async () => {
  const items = await world.write('unstopped.csv', 'id,text\n1,Ask me which ship is meant.\n');
  await world.control.fault('instance.agents.stop', 1, { status: 410 });
  const first = await world.run(pipeline(items, { stallSeconds: 1 }));
  expect(first.result.state).toBe('failed');
  const again = await world.effectsOf(() => world.portolan(['rerun', first.result.run, '--json']));
  expect(launchedIn(again.effects)).toBe(0);
  const { run } = JSON.parse(again.value.out.trim().split('\n').at(-1)!) as { run: string };
  expect((await world.store(run).readItems({ step: 'ask' })).map(({ status }) => status)).toEqual(['stalled']);
});

test('--failed-only runs anew what is not done of a run that tolerated it', async () => {
  const items = await world.write('again.csv', notes);
  const first = await world.run(pipeline(items, { cap: { item: 1, total: 1.000_000_001 } }));
  const { run } = first.result;
  expect((await world.portolan(['rerun', run, '--json'])).code).toBe(2);
  const file = await world.pipeline(pipeline(items, { cap: { item: 1, total: 5 } }));
  const again = await world.effectsOf(() => world.portolan(['rerun', run, '--failed-only', '--file', file, '--json']));
  expect([again.value.code, launchedIn(again.effects)]).toEqual([0, 2]);
  const whole = await world.portolan([
    'rerun',
    (JSON.parse(again.value.out.trim().split('\n').at(-1)!) as { run: string }).run,
    '--failed-only',
  ]);
  expect([whole.code, whole.err]).toEqual([2, expect.stringContaining('no item that is not done')]);
  // Nor does a rerun of the first run, that which has been rerun, launch what the other one has paid.
  const third = await world.effectsOf(() => world.portolan(['rerun', run, '--from', 'ask', '--file', file, '--json']));
  expect([third.value.code, launchedIn(third.effects)]).toEqual([0, 0]);
});

test('plan says what agents will cost by what those of the same prompt have cost, and by the caps where there were none', async () => {
  const items = await world.write('planned.csv', notes);
  const planned = async (prompt: string) => {
    const file = await world.pipeline(pipeline(items, { prompt, cap: { item: 0.5 } }));
    const { out } = await world.portolan(['plan', file, '--connection', world.connection, '--json']);
    return (JSON.parse(out) as { steps: { cost: { min: number; max: number; because: string } }[] }).steps[0]!.cost;
  };
  const prompt = 'Count the words of this very note: {{text}}';
  expect(await planned(prompt)).toEqual({ min: 0, max: 1.5, because: expect.stringContaining('by the caps') });
  const { result } = await world.run(pipeline(items, { prompt }));
  const costs = (await rowsOf(result.run, result.outputs['ask'].results as string)).map(({ cost_usd }) => Number(cost_usd));
  // One that has failed has cost nothing, and says nothing of what one costs.
  await world.control.agents({ failures: { left: 1, again: false } });
  const one = await world.write('one.csv', notes.split('\n').slice(0, 2).join('\n'));
  const failing = pipeline(one, { prompt }).replace('capped: 100%', 'failed: 100%');
  expect((await world.run(failing)).result.outputs['ask'].statuses).toEqual({ failed: 1 });
  const cost = await planned(prompt);
  expect(cost).toEqual({
    min: expect.closeTo(3 * Math.min(...costs), 9),
    max: expect.closeTo(3 * Math.max(...costs), 9),
    because: expect.stringContaining('3 agents of this kind'),
  });
});
