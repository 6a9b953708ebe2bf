import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { update } from '../../workflows/messages.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** Two calls, one after the other, on a dataset that the run holds. */
const twoCalls = `
name: two
params: { dataset: { type: slug } }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
  rename:
    use: api.call
    with: { operation: maps.projects.update, input: { project_id: "\${{ steps.dataset.id }}", id: "\${{ steps.dataset.id }}", description: renamed } }
`;

const gated = (expires = '7d'): string => `
name: gated
steps:
  ask:
    use: gate.approve
    with: { who: security, expires: ${expires}, show: what it is about }
  after:
    use: api.call
    needs: [ask]
    with: { operation: maps.projects.list, input: {} }
outputs: { by: "\${{ steps.ask.who }}", note: "\${{ steps.ask.note }}" }
`;

/** The line of a run in `portolan runs`. */
const listed = async (run: string) =>
  (await world.portolan(['runs', '--json', '--limit', '50'])).out
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as { run: string; state: string; asks?: { step: string }[] })
    .find((each) => each.run === run);

const statuses = ({ view }: { view: { steps: { id: string; status: string }[] } }): string[] =>
  view.steps.map(({ id, status }) => `${id} ${status}`);

test('a paused run ends what is under way and sends nothing new until it is resumed', async () => {
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const run = await world.start(twoCalls, { dataset: newSlug('pause') });
  expect(await world.control.held(fault.id)).toBe(true);
  expect(await world.portolan(['pause', run])).toMatchObject({ code: 0 });
  await world.until(run, ({ view }) => view.paused !== undefined);
  await world.control.release(fault.id);

  const paused = await world.until(run, ({ view, pending }) => view.steps[0]!.status === 'done' && pending.length === 0);
  expect(paused.view).toMatchObject({ state: 'paused', paused: { who: 'tester' } });
  expect(statuses(paused)).toEqual(['dataset done', 'rename waiting']);
  // The workflow has nothing scheduled, so nothing can come.
  const events = await world.events(run);
  expect(
    events
      .filter((event) => event.activityTaskScheduledEventAttributes)
      .map((event) => event.activityTaskScheduledEventAttributes!.activityId),
  ).toEqual(['dataset/main']);

  const { value, effects } = await world.effectsOf(async () => {
    expect(await world.portolan(['resume', run])).toMatchObject({ code: 0 });
    return world.ended(run);
  });
  expect(value.view.state).toBe('done');
  expect(effects.map(({ operation }) => operation)).toEqual(['maps.projects.update']);
});

test('a cancelled run ends, and no step after the cancellation is begun', async () => {
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const run = await world.start(twoCalls, { dataset: newSlug('cancel') });
  expect(await world.control.held(fault.id)).toBe(true);
  const {
    value: { view },
    effects,
  } = await world.effectsOf(async () => {
    expect(await world.portolan(['cancel', run])).toMatchObject({ code: 0 });
    return world.ended(run);
  });
  // What was under way ends, too: tried once more it would have its effect.
  expect(effects).toEqual([]);
  await world.control.release(fault.id);
  expect(view.state).toBe('cancelled');
  expect(statuses({ view })).toEqual(['dataset cancelled', 'rename cancelled']);
  expect(await world.portolan(['status', run])).toMatchObject({ code: 1, out: expect.stringContaining('cancelled') });
  expect(await world.portolan(['cancel', run])).toMatchObject({ code: 1, err: expect.stringContaining(`run ${run} is over`) });
});

test('a second run on the same dataset is refused with the run that holds it', async () => {
  const dataset = newSlug('held');
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const holder = await world.start(twoCalls, { dataset });
  expect(await world.control.held(fault.id)).toBe(true);
  const { value, effects } = await world.effectsOf(async () =>
    world.portolan(['run', await world.pipeline(twoCalls), '-c', 'local', '-p', `dataset=${dataset}`]),
  );
  expect(value).toMatchObject({ code: 1, err: expect.stringContaining(`local/${dataset} is held by run ${holder}, started by tester`) });
  expect(effects).toEqual([]);
  await world.control.release(fault.id);
  expect((await world.ended(holder)).view.state).toBe('done');
});

test('a gate lets the run wait for a person, whose approval is kept', async () => {
  const { code, result } = await world.run(gated());
  expect([code, result.state]).toEqual([3, 'approval']);
  expect(await world.portolan(['approve', result.run, 'after', '--note', 'no gate'])).toMatchObject({
    code: 1,
    err: expect.stringContaining("step 'after' waits for no decision"),
  });
  expect(await world.portolan(['approve', result.run, 'ask', '--note', 'looks right', '--as', 'grace'])).toMatchObject({ code: 0 });
  const { view } = await world.ended(result.run);
  expect(view).toMatchObject({ state: 'done', outputs: { by: 'grace', note: 'looks right' } });
  expect(view.steps[0]!.decision).toMatchObject({ approve: true, who: 'grace', note: 'looks right' });
});

test('watch --json ends where only a person can go on, also on a terminal', async () => {
  const { result } = await world.run(gated());
  // The bound only ends what would wait for the run.
  const watched = await world.portolan(['watch', result.run, '--json'], { tty: true, signal: AbortSignal.timeout(120_000) });
  expect(watched).toMatchObject({ code: 3, err: '' });
  const lines = watched.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.at(-1)).toMatchObject({ type: 'result', state: 'approval' });
  await world.portolan(['cancel', result.run]);
  await world.ended(result.run);
});

test('a gate decides once: of many decisions at the same moment one is taken, and the others hear of it', async () => {
  const { result } = await world.run(gated());
  const { workflowId } = await world.locate(result.run);
  const handle = world.client.workflow.getHandle(workflowId);
  const names = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn'];
  // Without a worker the decisions come together, in one activation.
  await world.worker.stop();
  const decisions = names.map((who, index) =>
    handle.executeUpdate(update.decide, { args: [{ step: 'ask', approve: index % 2 === 0, who, note: '' }] }).then(
      () => who,
      () => undefined,
    ),
  );
  await world.worker.start(0);
  const taken = (await Promise.all(decisions)).filter((who) => who !== undefined);
  expect(taken).toHaveLength(1);
  const { view } = await world.ended(result.run);
  expect(view.steps[0]!.decision).toMatchObject({ who: taken[0] });
});

test('whoever decides sees what is decided: in run, status, runs and report', async () => {
  const dataset = newSlug('gone');
  const { project_id } = await world.api.projects.create({ project_name: dataset, organization_id: await organization() });
  const text = `
name: removal
params: { dataset: { type: string } }
steps:
  ask: { use: gate.approve, with: { approves: [gone], who: security, show: "\${{ 'dataset ' + params.dataset }}" } }
  gone: { use: api.call, with: { operation: maps.projects.remove, input: { project_id: "\${{ params.dataset }}" } } }
`;
  const act = 'gone: maps.projects.remove: Remove a dataset';
  const { result, lines } = await world.run(text, { dataset: project_id });
  const seen = [act, `dataset ${project_id}`].map((part) => expect.stringContaining(part) as string);
  for (const part of seen) expect(lines.find(({ step, status }) => step === 'ask' && status === 'approval')!['detail']).toEqual(part);
  expect((await world.portolan(['runs', '--limit', '50'])).out).toContain(act);
  for (const part of seen) expect((await world.portolan(['why', result.run])).out).toEqual(part);
  const { out } = await world.portolan(['status', result.run]);
  for (const part of [...seen, expect.stringContaining('waits for security') as string]) expect(out).toEqual(part);
  expect(await listed(result.run)).toMatchObject({ state: 'approval', asks: [{ step: 'ask' }] });

  await world.portolan(['reject', result.run, 'ask', '--note', 'still needed', '--as', 'ada']);
  await world.ended(result.run);
  const { out: path } = await world.portolan(['report', result.run, '--json']);
  const page = await readFile((JSON.parse(path) as { path: string }).path, 'utf8');
  for (const part of [act, `dataset ${project_id}`, 'rejected', 'ada', 'still needed']) expect(page.includes(part), part).toBe(true);
  expect((await world.api.projects.get({ project_id })).slug).toBe(dataset);
});

test('a run that was terminated while it waited for a person asks nobody any more', async () => {
  const { result } = await world.run(gated());
  expect(await listed(result.run)).toMatchObject({ state: 'approval', asks: [{ step: 'ask' }] });
  const { workflowId } = await world.locate(result.run);
  await world.client.workflow.getHandle(workflowId).terminate();
  await expect.poll(async () => (await listed(result.run))?.state).not.toBe('approval');
  expect(await listed(result.run)).not.toHaveProperty('asks');
});

test('runs says that a run is paused, and what ended is done', async () => {
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const run = await world.start(twoCalls, { dataset: newSlug('listed') });
  expect(await world.control.held(fault.id)).toBe(true);
  const state = async (): Promise<unknown> => (await listed(run))?.state;
  await expect.poll(state).toBe('running');
  await world.portolan(['pause', run]);
  await expect.poll(state).toBe('paused');
  await world.portolan(['resume', run]);
  await expect.poll(state).toBe('running');
  await world.control.release(fault.id);
  await world.ended(run);
  await expect.poll(state).toBe('done');
});

const organization = async (): Promise<string> => (await world.api.user.get({})).organizations[0]!.organization_id;

test('a rejected gate fails the run, and what follows is not done', async () => {
  const { result } = await world.run(gated());
  const { value, calls } = await world.callsOf(async () => {
    expect(await world.portolan(['reject', result.run, 'ask', '--note', 'too many'])).toMatchObject({ code: 0 });
    return world.ended(result.run);
  });
  expect(value.view).toMatchObject({ state: 'failed', error: { step: 'ask', type: 'Rejected', message: 'tester rejected: too many' } });
  expect(statuses(value)).toEqual(['ask failed', 'after skipped']);
  expect(calls).not.toContain('maps.projects.list');
});

test('a gate under finally is decided in a run that is cancelled, and whoever decides hears that it was taken', async () => {
  const { result } = await world.run(`${gated()}finally:\n  tidy: { use: gate.approve, with: { show: what is left } }\n`);
  expect(result.state).toBe('approval');
  const waits = world.until(result.run, ({ view }) => view.steps.some(({ id, status }) => id === 'tidy' && status === 'approval'));
  await world.portolan(['cancel', result.run]);
  await waits;
  expect(await world.portolan(['approve', result.run, 'tidy', '--as', 'grace'])).toMatchObject({ code: 0, err: '' });
  const ended = await world.ended(result.run);
  expect(ended.view.state).toBe('cancelled');
  expect(statuses(ended)).toEqual(['ask cancelled', 'after cancelled', 'tidy done']);
});

test('an undecided gate expires', async () => {
  const { view } = await world.ended(await world.start(gated('1s')));
  expect(view).toMatchObject({ state: 'failed', error: { step: 'ask', type: 'Expired' } });
});

test('the Web UI shows what the run is, what each activity does and how far it is', async () => {
  const { result } = await world.run(gated());
  const { workflowId } = result;
  const handle = world.client.workflow.getHandle(workflowId);
  const { currentDetails } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toBe(
    'gated: **approval**\n\n- **ask** (gate.approve): approval, lets after: api.call\n- **after** (api.call): waiting',
  );
  expect(await (await handle.describe()).staticSummary()).toBe(`gated · run ${result.run}`);
  await world.portolan(['approve', result.run, 'ask', '--note', 'yes']);
  await world.ended(result.run);
  const scheduled = (await world.events(result.run)).filter((event) => event.activityTaskScheduledEventAttributes);
  expect(scheduled.map((event) => text(event.userMetadata?.summary?.data))).toEqual(['after: api.call']);
});

const text = (data: Uint8Array | null | undefined): unknown => JSON.parse(Buffer.from(data ?? '""').toString());
