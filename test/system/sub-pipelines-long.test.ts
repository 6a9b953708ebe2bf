import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from '../support/world.ts';
import { cancelRun, pauseRun } from '../../runs/control.ts';
import { impatientWorld } from './support-impatient.ts';
import { giveSays, saidIn } from './support-says.ts';

let made: Awaited<ReturnType<typeof impatientWorld>>;
let world: World;
beforeAll(async () => {
  made = await impatientWorld();
  world = made.world;
  await giveSays(world);
});
afterAll(() => made[Symbol.asyncDispose]());

const asks = `name: asks
params: { word: { type: string }, file: { type: string } }
steps:
  ask: { use: gate.approve, with: {} }
  say: { use: acme.says, needs: [ask], with: { word: "\${{ params.word }}", file: "\${{ params.file }}" } }
outputs: { word: "\${{ steps.say.word }}" }
`;

const chained = 12;

/** A run of a step that waits for a person, beside a chain of calls that has the run continue as new. */
const above = (file: string, more = ''): string => `name: above
steps:
  one: { use: ./asks.yaml, with: { word: cat, file: ${file} }${more} }
  s0: { use: acme.says, with: { word: a, file: ${file} } }
${Array.from({ length: chained }, (_, at) => `  s${at + 1}: { use: acme.says, needs: [s${at}], with: { word: a, file: ${file} } }`).join('\n')}
outputs: { word: "\${{ steps.one.word }}" }
`;

/** Starts it, and waits until all of the chain is done. */
async function begun(file: string, more?: string): Promise<{ run: string; child: string }> {
  await world.write('pipelines/asks.yaml', asks);
  const run = await world.start(above(file, more));
  await world.until(run, ({ view }) => view.steps.filter(({ status }) => status === 'done').length === chained + 1);
  expect((await world.histories(run)).length).toBeGreaterThan(2);
  return { run, child: `${run}.one` };
}

const said = (name: string): Promise<string> => saidIn(world, name);

/** Executions of the run of a step: it is begun once. */
const startsOf = async (child: string): Promise<number> => {
  let count = 0;
  for await (const info of world.client.workflow.list({ query: `WorkflowId = '${child}'` }))
    if (info.status.name !== 'CONTINUED_AS_NEW') count++;
  return count;
};

test('a run continues as new while the run of a step goes on, and learns its end', async () => {
  const { run, child } = await begun('long.txt');
  await world.portolan(['approve', child, 'ask']);
  const { view } = await world.ended(run);
  expect(view).toMatchObject({ state: 'done', outputs: { word: 'cat' } });
  expect((await said('long.txt')).replaceAll('a ', '')).toBe('cat ');
  expect(await startsOf(child)).toBe(1);
});

test('one that has continued as new pauses, resumes and cancels the run of a step', async () => {
  const { run, child } = await begun('steered.txt');
  await world.portolan(['pause', run]);
  await world.until(child, ({ view }) => view.paused !== undefined);
  await world.portolan(['resume', run]);
  await world.until(child, ({ view }) => view.paused === undefined);
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
  expect((await world.ended(child)).view.state).toBe('cancelled');
});

test('one that continues as new between a look at it and what is asked of it does what is asked', async () => {
  const { run, child } = await begun('between.txt');
  const location = await world.locate(run);
  const seen = await world.client.workflow.getHandle(run, location.firstRunId).describe();
  expect(seen.status.name).toBe('CONTINUED_AS_NEW');
  const handles = { getHandle: (...of: [string, string?]) => ({ ...world.client.workflow.getHandle(...of), describe: async () => seen }) };
  const place = { ...world.place, client: { workflow: handles } as unknown as World['client'] };
  await pauseRun(place, location, { who: 'ana' });
  await world.until(child, ({ view }) => view.paused !== undefined);
  await cancelRun(place, location);
  expect((await world.ended(run)).view.state).toBe('cancelled');
  expect((await world.ended(child)).view.state).toBe('cancelled');
});

test('a run that is terminated fails its step, also where the run above it has continued as new since', async () => {
  await world.write('pipelines/asks.yaml', asks);
  const early = await world.start('name: early\nsteps:\n  one: { use: ./asks.yaml, with: { word: cat, file: early.txt } }\n');
  await world.until(early, ({ view }) => view.state === 'approval');
  await world.client.workflow.getHandle(`${early}.one`).terminate('test');
  expect((await world.ended(early)).view).toMatchObject({ state: 'failed', error: { step: 'one', type: 'Terminated' } });

  const { run, child } = await begun('late.txt');
  await world.client.workflow.getHandle(child).terminate('test');
  // Nothing says so to a run that has continued as new: it asks when somebody steers it, and once an hour.
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
});

test('the run of a step that takes longer than the step may is cancelled, and the step fails', async () => {
  await world.write('pipelines/asks.yaml', asks);
  const run = await world.start('name: brief\nsteps:\n  one: { use: ./asks.yaml, with: { word: cat, file: brief.txt }, timeout: 1s }\n');
  expect((await world.ended(run)).view).toMatchObject({ state: 'failed', error: { step: 'one', type: 'TimedOut' } });
  expect((await world.ended(`${run}.one`)).view.state).toBe('cancelled');
});

test('the time that the run of a step may take counts from its beginning, also where the run above it has continued as new since', async () => {
  const day = 86_400_000;
  const { run, child } = await begun('timed.txt', ', timeout: 1d');
  // Other timers are of an hour: from then on a run is looked at.
  const limits = (await world.histories(run)).map(({ events }) =>
    (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
      const ms = 1_000 * Number(timer?.startToFireTimeout?.seconds ?? 0) + (timer?.startToFireTimeout?.nanos ?? 0) / 1e6;
      return ms > day / 2 ? [ms] : [];
    }),
  );
  const [first, ...later] = limits.flat();
  expect(first).toBeLessThanOrEqual(day);
  expect(later.length).toBeGreaterThan(0);
  for (const ms of later) expect(ms).toBeLessThan(first!);
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
  expect((await world.ended(child)).view.state).toBe('cancelled');
});

test('a loop of pipelines over several executions does each once', async () => {
  await world.write(
    'pipelines/one.yaml',
    'name: one\nparams: { word: { type: string } }\nsteps:\n  say: { use: acme.says, with: { word: "${{ params.word }}", file: each.txt } }\n',
  );
  const words = Array.from({ length: 25 }, (_, at) => `w${at}`);
  const run = await world.start(`name: each
steps:
  each:
    forEach: { items: ${JSON.stringify(words)}, as: word, parallel: 5 }
    steps: { one: { use: ./one.yaml, with: { word: "\${{ word }}" } } }
outputs: { done: "\${{ steps.each.done }}" }
`);
  expect((await world.ended(run)).view).toMatchObject({ state: 'done', outputs: { done: words.length } });
  expect((await world.histories(run)).length).toBeGreaterThan(2);
  expect((await said('each.txt')).trim().split(' ').sort()).toEqual(words.toSorted());
});
