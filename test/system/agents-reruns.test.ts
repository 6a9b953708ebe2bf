import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { agentsPipeline, countOf, rowsIn } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

type Asked = { statuses: Record<string, number>; results: string; costUsd: number };
type Ended = { run: string; outputs: Record<string, Asked> };

/** A rerun, to its end: what it says last, and how many agents it has launched. */
const rerun = async (run: string, ...more: string[]): Promise<Ended & { launched: number }> => {
  const { value, effects } = await world.effectsOf(() => world.portolan(['rerun', run, ...more, '--json']));
  expect(value.code, value.out + value.err).toBe(0);
  return { ...(JSON.parse(value.out.trim().split('\n').at(-1)!) as Ended), launched: countOf(effects, 'instance.agents.launch') };
};

/** Two steps on the same notes, of which the second is a loop over tables, with one cap of the run. */
const under = (run: number, tables: readonly string[], first: string): string => {
  const step = (items: string): string =>
    `{ use: agent.run, tolerate: { capped: 100% }, with: ${JSON.stringify({
      items,
      key: 'id',
      prompt: 'Extract the emails of this note: {{text}}',
      everySeconds: 0.25,
      cap: { item: 0.0001, run },
    })} }`;
  return `
name: under
steps:
  first: ${step(first)}
  each:
    forEach: { items: ${JSON.stringify(tables)}, as: table }
    needs: [first]
    steps:
      ask: ${step('${{ table }}')}
    outputs: { statuses: "\${{ steps.ask.statuses }}" }
outputs: { first: "\${{ steps.first }}" }
`;
};

test('what steps have spent whose results a rerun has counts against the cap of the run, and what it does again counts once', async () => {
  const notes = async (name: string, ...ids: string[]): Promise<string> =>
    world.write(name, `id,text\n${ids.map((id) => `${id},Write to a@example.com.\n`).join('')}`);
  const first = await notes('first.csv', '1', '2');
  const tables = [await notes('north.csv', '1'), await notes('south.csv', '1', '2')];
  // Each of them costs 64 millionths: a fifth one might cost more than is left of four.
  const { value, effects } = await world.effectsOf(() => world.run(under(0.0003, tables, first)));
  expect([value.result.state, countOf(effects, 'instance.agents.launch')]).toEqual(['done', 4]);
  const same = await rerun(value.result.run, '--failed-only');
  expect(same.launched).toBe(0);
  // And of the run after that, which has the others from the first one, and the turns in another order.
  const turned = await world.pipeline(under(0.0003, tables.toReversed(), first));
  expect((await rerun(same.run, '--from', 'each', '--file', turned)).launched).toBe(0);
  const wider = await rerun(same.run, '--from', 'each', '--file', await world.pipeline(under(0.00036, tables, first)));
  expect(wider.launched).toBe(1);
});

const waiting = async () => (await world.instance.agents.list({ status: 'awaiting_tool', limit: 100 })).data;

test('--failed-only goes on with a run that was terminated, and names the run of a step whose items are not done', async () => {
  const items = await world.write('terminated.csv', 'id,text\n1,Ask me which ship is meant.\n');
  const run = await world.start(agentsPipeline(items, { prompt: '{{text}}' }));
  let found = await waiting();
  while (found.length === 0) found = await waiting();
  await world.client.workflow.getHandle((await world.locate(run)).workflowId).terminate();
  await world.control.answer(found[0]!.id, 'the Ada');
  const on = await rerun(run, '--failed-only');
  expect([on.launched, on.outputs['ask']!.statuses]).toEqual([0, { done: 1 }]);

  const notes = await world.write('capped.csv', 'id,text\n1,Write to a@example.com.\n');
  await world.write('pipelines/capped.yaml', agentsPipeline(notes, { cap: { item: 1, total: 0 } }));
  const { result } = await world.run('name: outer\nsteps:\n  one: { use: ./capped.yaml }\n');
  const outer = await world.portolan(['rerun', result.run, '--failed-only']);
  const own = `${result.run}.one`;
  expect([outer.code, outer.err]).toEqual([2, expect.stringContaining(`portolan rerun ${own} --failed-only`)]);
  const inner = await world.portolan(['rerun', own, '--failed-only', '--file', await world.pipeline(agentsPipeline(notes)), '--json']);
  expect(JSON.parse(inner.out.trim().split('\n').at(-1)!)).toMatchObject({ state: 'done', outputs: { ask: { statuses: { done: 1 } } } });
});

test('an agent under way with which a rerun does not go on, for its item has changed, counts against the cap while it may cost, and then as it has', async () => {
  const items = await world.write('changed.csv', 'id,text\n1,Ask me which ship is meant.\n');
  const text = agentsPipeline(items, { prompt: '{{text}}', cap: { item: 1, total: 1.5 } });
  const run = await world.start(text);
  let found = await waiting();
  while (found.length === 0) found = await waiting();
  await world.portolan(['cancel', run]);
  await world.ended(run);
  await world.write('changed.csv', 'id,text\n1,Write to c@example.com.\n');
  const beside = await rerun(run);
  expect([beside.launched, beside.outputs['ask']!.statuses]).toEqual([0, { capped: 1 }]);
  const notes = (await world.store(beside.run).events()).filter(({ kind }) => kind === 'note').map(({ cause }) => cause);
  expect(notes).toEqual([expect.stringContaining(`(${found[0]!.id}): instance.agents.stop ends one`)]);
  await world.control.answer(found[0]!.id, 'the Ada');
  while ((await waiting()).length > 0);
  const after = await rerun(beside.run, '--failed-only');
  expect([after.launched, after.outputs['ask']!.statuses]).toEqual([1, { done: 1 }]);
});

test('what another workflow was asked is no answer to the one that a rerun names: its items are launched anew', async () => {
  const { workflows } = world.instance;
  const workflowOf = async (instructionMarkdown: string): Promise<string> => {
    const { id, versionId } = await workflows.create({ name: 'letters', instructionMarkdown, requestedFiles: [{ name: 'letter' }] });
    await workflows.release({ workflowId: id, versionId });
    return id;
  };
  const [emails, dates] = [await workflowOf('Extract the emails.'), await workflowOf('Extract the dates.')];
  const letter = await world.write('letter.txt', 'Write to x@example.com on 2026-01-02.');
  const items = await world.write('letters.csv', `id,path\nx,${letter}\n`);
  const asking = (workflow: string, more: object = {}): string =>
    agentsPipeline(items, { prompt: undefined, workflow, inputs: { letter: 'path' }, ...more });
  const { result } = await world.run(asking(emails));
  const on = await rerun(result.run, '--from', 'ask', '--file', await world.pipeline(asking(dates)));
  expect(on.launched).toBe(1);
  const [row] = await rowsIn(world, on.run, on.outputs['ask']!.results);
  expect(row!['text']).toContain('1 dates: 2026-01-02');
  // What says nothing of what is asked changes nothing of what has been said.
  expect((await rerun(on.run, '--from', 'ask', '--file', await world.pipeline(asking(dates, { stallSeconds: 60 })))).launched).toBe(0);
});

test('what an item is asked afterwards, and where its file stands, is none of what launches its agent', async () => {
  const table = async (folder: string): Promise<string> => {
    const path = await world.write(`${folder}/note.txt`, 'Nothing here.');
    return world.write(`${folder}/notes.csv`, `id,path\nx,${path}\n`);
  };
  const asking = (items: string, prompt: string): string =>
    agentsPipeline(items, { prompt: 'Extract the emails.', files: ['path'], followUps: [{ prompt }], turns: 2 });
  const { result } = await world.run(asking(await table('there'), 'Count the words.'));
  const file = await world.pipeline(asking(await table('here'), 'Count the lines.'));
  expect(await rerun(result.run, '--from', 'ask', '--file', file)).toMatchObject({
    launched: 0,
    outputs: { ask: { statuses: { done: 1 } } },
  });
});

test('all agents of a step run the version of the workflow that was released when it began; in a rerun what is not done runs the one of its own beginning', async () => {
  const { workflows } = world.instance;
  const { id, versionId: first } = await workflows.create({ name: 'ships', instructionMarkdown: 'Ask me which ship is meant.' });
  await workflows.release({ workflowId: id, versionId: first });
  const ran = async () => (await world.instance.agents.list({ workflowId: id, limit: 100 })).data.map((each) => each.workflowVersionId);
  const items = await world.write('ships.csv', 'id,text\n1,Note one.\n2,Note two.\n');
  // The second one waits for what the first has set aside.
  const run = await world.start(agentsPipeline(items, { prompt: '{{text}}', workflow: id, cap: { item: 1, total: 1.5 } }));
  let found = await waiting();
  while (found.length === 0) found = await waiting();
  expect(await ran()).toEqual([first]);
  const { versionId: second } = await workflows.update({ workflowId: id, instructionMarkdown: 'Extract the emails.' });
  await workflows.release({ workflowId: id, versionId: second });
  let over = false;
  const ended = world.ended(run).finally(() => (over = true));
  const answered = new Set<string>();
  while (!over)
    for (const agent of await waiting())
      if (!answered.has(agent.id)) {
        answered.add(agent.id);
        await world.control.answer(agent.id, 'the Ada');
      }
  await ended;
  expect(await ran()).toEqual([first, first]);

  await world.write('ships.csv', 'id,text\n1,Note one.\n2,Note two.\n3,Write to c@example.com.\n');
  const on = await rerun(run, '--from', 'ask');
  expect([on.launched, on.outputs['ask']!.statuses]).toEqual([1, { done: 3 }]);
  expect(await ran()).toEqual([second, first, first]);
});

test('a workflow that the key may run and not edit shows no version: the step runs what is released, and its events say so', async () => {
  const { id: user } = await world.control.addUser({ name: 'ann', email: 'ann@example.com' });
  const { key: token } = await world.control.issueKey({ service: 'instance', name: 'ann', scopes: ['developer'], user });
  const { workflows } = createClient('instance', { baseUrl: world.url, token, permits: createPermits() });
  const { id, versionId } = await workflows.create({ name: 'theirs', instructionMarkdown: 'Extract the emails.' });
  await workflows.release({ workflowId: id, versionId });
  await world.control.share(id);
  const items = await world.write('theirs.csv', 'id,text\n1,Write to a@example.com.\n');
  const { result } = await world.run(agentsPipeline(items, { prompt: '{{text}}', workflow: id }));
  expect(result).toMatchObject({ state: 'done', outputs: { ask: { statuses: { done: 1 } } } });
  const notes = (await world.store(result.run).events()).filter(({ kind }) => kind === 'note').map(({ cause }) => cause);
  expect(notes).toEqual([expect.stringContaining(`which version of workflow ${id} is released cannot be read`)]);
});
