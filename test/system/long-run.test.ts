import { expect, test } from 'vitest';
import { viewFile, type KeptView } from '../../store/kept-view.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { newSlug, type World } from '../support/world.ts';
import { countOf } from './support-agent-runs.ts';
import { impatientWorld } from './support-impatient.ts';

const steps = 12;

/** Calls, one after the other, that have a run continue as new. */
const links = `  s0: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
${Array.from({ length: steps }, (_, at) => `  s${at + 1}: { use: api.call, needs: [s${at}], with: { operation: maps.projects.get, input: { project_id: "\${{ steps.s0.id }}" } } }`).join('\n')}
`;

/** A chain of calls beside a gate that waits all the time, and a call behind it. */
const chain = `
name: chain
params: { dataset: { type: slug } }
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
  late: { use: api.call, needs: [ask], with: { operation: maps.user.get, input: {} } }
${links}outputs: { by: "\${{ steps.ask.who }}", slug: "\${{ steps.s${steps}.result.slug }}" }
`;

/** Approves the gate when all that does not stand behind it is done: an open gate holds nothing up. Returns the end of the run. */
async function approved(world: World, run: string) {
  await world.until(run, ({ view }) => view.steps.filter(({ status }) => status === 'done').length === steps + 1);
  // It has continued as new, and not ended.
  expect(await world.store(run).readJson(viewFile)).toBeUndefined();
  expect(await world.portolan(['approve', run, 'ask', '--note', 'go', '--as', 'ada'])).toMatchObject({ code: 0 });
  const end = await world.ended(run);
  const kept = await world.store(run).readJson<KeptView>(viewFile);
  expect(kept?.runId).toBe((await world.client.workflow.getHandle(run).describe()).runId);
  return end;
}

test('a long run continues as new, several times, with nothing done twice and a gate kept open', async () => {
  await using made = await impatientWorld();
  const { world } = made;
  const dataset = newSlug('long');
  const { value, calls } = await world.callsOf(async () => {
    const { code, result } = await world.run(chain, { dataset });
    expect([code, result.state]).toEqual([3, 'approval']);
    return approved(world, result.run);
  });
  expect(value.view).toMatchObject({ state: 'done', outputs: { by: 'ada', slug: dataset } });

  // Whoever started it, and when: as the first of its executions had it.
  const listed = JSON.parse((await world.portolan(['runs', '--json', '--limit', '1'])).out) as unknown;
  const kept = await world.store(value.view.run).readJson<RunRecord>('run.json');
  expect(listed).toMatchObject({ run: value.view.run, origin: { command: 'run' }, startedAt: kept!.startedAt });

  const histories = await world.histories(value.view.run);
  expect(histories.length).toBeGreaterThanOrEqual(3);
  const activities = histories
    .flatMap(({ events }) => events ?? [])
    .flatMap((event) => event.activityTaskScheduledEventAttributes?.activityId ?? []);
  expect(activities).toEqual([...Array.from({ length: steps + 1 }, (_, at) => `s${at}/main`), 'late/main']);
  // dataset.ensure reads the new dataset twice: to see that it is the only one, and for its output.
  expect(calls.filter((operation) => operation === 'maps.projects.get')).toHaveLength(steps + 2);
  // The run is one run, whoever asks: its start is the first execution's.
  expect(await world.portolan(['status', value.view.run])).toMatchObject({ code: 0, out: expect.stringContaining('done') });

  // What a rerun takes over from the run before comes through continue-as-new: the call behind the gate is not made again.
  const again = await world.portolan(['rerun', value.view.run, '--from', 's0', '--json', '--detach']);
  const { run } = JSON.parse(again.out.trim().split('\n').at(-1)!) as { run: string };
  const { view } = await approved(world, run);
  expect((await world.histories(run)).length).toBeGreaterThanOrEqual(2);
  expect(view.steps.find(({ id }) => id === 'late')).toMatchObject({ status: 'done', reusedFrom: value.view.run });
  expect(view.steps.find(({ id }) => id === 's0')!.reusedFrom).toBeUndefined();
});

test('agents that wait for an answer keep no run from continuing as new, and are launched once', async () => {
  await using made = await impatientWorld({ lifted: true });
  const { world } = made;
  await world.control.agents({ pace: { from: 0, to: 0 } });
  const asking = { key: 'id', prompt: '{{text}}', everySeconds: 0.25 };
  const items = await world.write('ships.csv', 'id,text\n1,Ask me which ship is meant.\n');
  const text = `name: beside
params: { dataset: { type: slug } }
steps:
  ask: { use: agent.run, with: ${JSON.stringify({ ...asking, items })} }
${links}outputs: { ask: "\${{ steps.ask }}" }
`;
  const { value, effects } = await world.effectsOf(async () => {
    const run = await world.start(text, { dataset: newSlug('beside') });
    const waiting = async () => (await world.instance.agents.list({ status: 'awaiting_tool', limit: 100 })).data;
    let [agent] = await waiting();
    while (!agent) [agent] = await waiting();
    const { view } = await world.until(run, ({ view }) => view.steps.filter(({ status }) => status === 'done').length === steps + 1);
    expect(view.steps[0]).toMatchObject({ id: 'ask', status: 'running' });
    expect((await world.histories(run)).length).toBeGreaterThanOrEqual(2);
    await world.control.answer(agent.id, 'the Ada');
    return world.ended(run);
  });
  expect([value.view.state, value.view.outputs]).toEqual(['done', { ask: expect.objectContaining({ statuses: { done: 1 } }) }]);
  expect(countOf(effects, 'instance.agents.launch')).toBe(1);
});

test('a run that is cancelled while it is long does what stands under finally, and is cancelled', async () => {
  await using made = await impatientWorld();
  const { world } = made;
  const call = 'use: api.call, with: { operation: maps.user.get, input: {} }';
  const run = await world.start(
    `name: cleaned
params: { dataset: { type: slug } }
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
  late: { needs: [ask], ${call} }
${links}finally:
${Array.from({ length: steps }, (_, at) => `  f${at}: { ${at > 0 ? `needs: [f${at - 1}], ` : ''}${call} }`).join('\n')}
`,
    { dataset: newSlug('cleaned') },
  );
  await world.until(run, ({ view }) => view.steps.filter(({ status }) => status === 'done').length === steps + 1);
  expect((await world.histories(run)).length).toBeGreaterThanOrEqual(2);
  expect(await world.portolan(['cancel', run])).toMatchObject({ code: 0 });
  const { view } = await world.ended(run);
  expect(view.state).toBe('cancelled');
  expect(view.steps.filter(({ id, status }) => id.startsWith('f') && status === 'done')).toHaveLength(steps);
  const listed = JSON.parse((await world.portolan(['runs', '--json', '--limit', '1'])).out) as unknown;
  expect(listed).toMatchObject({ run, state: 'cancelled' });
});
