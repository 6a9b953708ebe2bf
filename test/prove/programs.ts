import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import { pauseRun, resumeRun } from '../../runs/control.ts';
import { watchRun } from '../../runs/watch.ts';
import { inside, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { RunView } from '../../workflows/messages.ts';
import { reduce } from '../../workflows/interpreter/reduce.ts';
import { createWorld, type World } from '../support/world.ts';
import { evaluate } from '../workflows/plain-evaluator.ts';
import { differences, drawnFate, replay, runPlainly, tame } from '../workflows/plain-run.ts';
import { drawn, planOf, play, type Reducer } from '../workflows/random-programs.ts';
import { wrongEnd } from '../workflows/lattice-oracle.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { fileOf, forServer, ownStep, serverFate, sizeOf } from './support-programs.ts';

const onReducer = 2_000;
const onServer = 100;

/** Runs under way at a time. */
const atOnce = 8;

/** A broken rule for the control: a need's end is taken whatever it is. */
const careless: Reducer = (state, event, world, draining) =>
  reduce(state, event, { ...world, plan: { ...world.plan, steps: world.plan.steps.map((step) => ({ ...step, accepts: {} })) } }, draining);

/** On the reducer: how many programs come to something else than they should. */
function wrongOnReducer(count: number): { tame: number; wild: number; replayed: number; careless: number } {
  const wrong = { tame: 0, wild: 0, replayed: 0, careless: 0 };
  for (const [program, events] of drawn(count)) {
    const whole = planOf(program);
    const { state } = play(whole, events);
    if (inside(whole, undefined).some((step) => wrongEnd(whole, step, state) !== undefined)) wrong.wild++;
    const plan: Plan = { ...whole, steps: tame(whole.steps) };
    const fate = drawnFate(randomInt(1e9));
    const chance = (): number => randomInt(1_000);
    const run = runPlainly(plan, fate, chance, reduce);
    if (differences(plan, fate, run.state).length > 0) wrong.tame++;
    if (JSON.stringify(replay(plan, run.events, reduce)) !== JSON.stringify(run.state)) wrong.replayed++;
    if (differences(plan, fate, runPlainly(plan, fate, chance, careless).state).length > 0) wrong.careless++;
  }
  return wrong;
}

type Served = { run: string; view: RunView; steps: PlanStep[]; salt: number };

/** What a run on the server came to otherwise than the plain evaluator has it. */
function wrongOnServer({ view, steps, salt }: Served): string[] {
  const expected = evaluate(steps, serverFate(salt));
  const wrong = view.steps.flatMap(({ id, status, loop, turn, reactsTo }): string[] => {
    if (turn || reactsTo) return [];
    const wanted = expected[id]!;
    const is = typeof wanted === 'object' ? JSON.stringify({ done: loop?.done, failed: loop?.failed }) : status;
    return is === (typeof wanted === 'object' ? JSON.stringify(wanted) : wanted) ? [] : [`${view.run} ${id}: ${is}`];
  });
  return view.state === 'done' ? wrong : [`${view.run} is ${view.state}: ${view.error?.message ?? ''}`, ...wrong];
}

/** A program that is small enough for the server and has something in it. */
function oneForServer(): PlanStep[] {
  for (;;) {
    const steps = forServer(tame(planOf(drawn(1)[0]![0]).steps));
    const size = sizeOf(steps);
    if (size >= 3 && size <= 40) return steps;
  }
}

/** Runs one program, mends what waits to be mended, and pauses some runs for a while. */
async function serve(world: World, marks: string, at: number): Promise<Served> {
  const steps = oneForServer();
  const salt = randomInt(1e9);
  const run = await world.startFile(await world.write(`pipelines/p${at}.json`, fileOf(`p${at}`, salt, steps)));
  const location = await world.locate(run);
  if (at % 3 === 0) {
    await pauseRun(world.place, location, { who: 'prove' }).catch(() => undefined);
    await sleep(randomInt(2_000));
    await resumeRun(world.place, location, { who: 'prove' }).catch(() => undefined);
  }
  for await (const { view, source } of watchRun(world.place, location, { minMs: 300 })) {
    for (const { id, retries } of view.steps)
      if (retries?.error.type === 'ServiceFailed') await writeFile(join(marks, `${salt}${encodeURIComponent(id)}`), '');
    if (source === 'result') return { run, view, steps, salt };
  }
  throw new Error(`${run} has no end`);
}

async function onTheServer(count: number, note: (text: string) => void): Promise<Line[]> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-programs-'));
  await using bundle = await createBundle();
  const { path: binary } = await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), report: () => undefined });
  // The server suggests to continue as new after so many events.
  const server = await startTemporal({ dir, binary, headless: true, settings: { 'limit.historyCount.suggestContinueAsNew': 30 } });
  try {
    await using world = await createWorld({ temporal: server.address, bundle: bundle.path, workers: 2 });
    const marks = join(dir, 'mended');
    await mkdir(marks);
    await world.write('steps/fare.mts', ownStep(new URL('../../index.ts', import.meta.url).href, marks));
    for (const index of [0, 1]) {
      await world.worker.stop(index);
      await world.worker.start(index);
    }
    let over = false;
    let kills = 0;
    const killing = (async () => {
      while (!over) {
        await sleep(randomInt(1_000, 5_000));
        if (over) break;
        await world.worker.kill(kills % 2);
        await world.worker.start(kills % 2);
        kills++;
      }
    })();
    const served: Served[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) {
        served.push(await serve(world, marks, next++));
        if (served.length % 10 === 0) note(`${served.length} of ${count} programs, ${kills} kills`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    over = true;
    await killing;
    const wrong = served.flatMap(wrongOnServer);
    for (const each of wrong.slice(0, 5)) note(each);
    // Replays report each worker of theirs.
    Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
    let executions = 0;
    let unlike = 0;
    for (const { run } of served)
      for (const history of await world.histories(run)) {
        executions++;
        await Worker.runReplayHistory({ workflowBundle: { codePath: bundle.path } }, history, run).catch((error: unknown) => {
          unlike++;
          note(`${run}: ${String(error)}`);
        });
      }
    const retried = served.filter(({ view }) => view.steps.some(({ retries }) => retries)).length;
    const reacted = served.filter(({ view }) => view.steps.some(({ reactsTo }) => reactsTo)).length;
    const control = served.filter((each) => wrongOnServer({ ...each, salt: each.salt + 1 }).length > 0).length;
    return [
      line(`${count} programs on the server with ${kills} kills: other than the evaluator has it`, wrong.length, '0', wrong.length === 0),
      line('programs with further tries, with steps about a failure', `${retried}, ${reacted}`, '> 0 each', retried > 0 && reacted > 0),
      line('executions, and those that do not replay', `${executions}, ${unlike}`, `> ${count}, 0`, executions > count && unlike === 0),
      line('control, the evaluator with other fates: programs found', control, '> 0', control > 0),
    ];
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

export const proof: Proof = {
  name: 'programs',
  sets: ['time'],
  what: `random programs come to what a plain evaluator makes of them: ${onReducer} on the reducer, ${onServer} on the server with kills`,
  async run({ note }) {
    const wrong = wrongOnReducer(onReducer);
    note(`${onReducer} programs on the reducer`);
    return [
      line('programs whose end the plain evaluator has otherwise', wrong.tame, '0', wrong.tame === 0),
      line('programs with cancels, pauses and decisions that break the table', wrong.wild, '0', wrong.wild === 0),
      line('programs whose events give another state the second time', wrong.replayed, '0', wrong.replayed === 0),
      line('control, an interpreter that takes every end of a need: found', wrong.careless, '> 0', wrong.careless > 0),
      ...(await onTheServer(onServer, note)),
    ];
  },
};
