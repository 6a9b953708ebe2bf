import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import { installStep } from '../../bench/support-own-steps.ts';
import { lockIdOf, lockSettings, lockWorkflow, releaseSignal, type Holder } from '../../pipelines/lock.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { afterEnds, handoversOf, insideStep, marksIn, overlapsIn, type Had, type Held, type Mark } from './support-locks.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { startText, type StartedRun } from './support-run.ts';

const keys = 20;
/** Runs on each key, unless `--rounds` says fewer or more. */
const usual = 25;
const workers = 2;
/** Runs that end between two kills. */
const perKill = 10;
/** Longest time that a key may be held by a run that has ended, in milliseconds. */
const longestMs = 10_000;

/** Milliseconds that a run stays inside, and that one of each key in so many does, which is terminated there. */
const stays = { usually: 150, long: 5_000, each: 12 };
const staysLong = (turn: number): boolean => turn % stays.each === 1;

const pipeline = `
name: contender
params: { key: { type: slug }, stays: { type: integer } }
concurrency: { key: "\${{ params.key }}", when: queue }
steps:
  inside: { use: prove.inside, with: { key: "\${{ params.key }}", run: "\${{ run.id }}", stays: "\${{ params.stays }}" } }
outputs: { left: "\${{ steps.inside.left }}" }
`;

type Contender = { key: string; run: StartedRun; long: boolean; end?: string };

/** Lets so many runs contend for each key, with what `disturb` does meanwhile, until all have ended. */
async function contend(
  stack: Stack,
  each: number,
  disturb: (contenders: readonly Contender[], over: () => boolean, file: string) => Promise<void>,
): Promise<{ contenders: Contender[]; marks: Mark[] }> {
  const file = join(stack.dir, 'marks.jsonl');
  const steps = await installStep(stack, 'prove.inside', insideStep(file));
  for (let index = 1; index < workers; index++) {
    await stack.worker.stop(index);
    await stack.worker.start(index);
  }
  const contenders: Contender[] = [];
  for (let turn = 0; turn < each; turn++)
    contenders.push(
      ...(await Promise.all(
        Array.from({ length: keys }, async (_, index) => ({
          key: `key-${index}`,
          long: staysLong(turn),
          run: await startText(stack, pipeline, { key: `key-${index}`, stays: staysLong(turn) ? stays.long : stays.usually }, { steps }),
        })),
      )),
    );
  let over = false;
  const disturbing = disturb(contenders, () => over, file);
  await Promise.all(
    contenders.map(async (contender) => {
      contender.end = await contender.run.ended(1_800_000).then(
        ({ state }) => state,
        (error: unknown) => {
          if (error instanceof WorkflowFailedError) return 'terminated';
          throw error;
        },
      );
    }),
  );
  over = true;
  await disturbing;
  return { contenders, marks: await marksIn(file) };
}

const terminate = (run: StartedRun): Promise<boolean> =>
  run.handle.terminate('proof').then(
    () => true,
    () => false,
  );

/** Terminates the runs that stay long while they are inside. */
async function strike(contenders: readonly Contender[], over: () => boolean, file: string): Promise<void> {
  const struck = new Set<string>();
  while (!over()) {
    const inside = new Set((await marksIn(file)).map(({ run }) => run));
    for (const { run, long } of contenders) {
      if (!long || struck.has(run.id) || !inside.has(run.id)) continue;
      struck.add(run.id);
      await terminate(run);
    }
    await delay(50);
  }
}

/** Processes that have let a run inside. */
const workersIn = async (file: string): Promise<Set<number>> => new Set((await marksIn(file)).map(({ by }) => by));

/** When the runs began and ended at the server. */
const timesOf = (stack: Stack, contenders: readonly Contender[]): Promise<Held[]> =>
  Promise.all(
    contenders.map(async ({ key, run, end }) => {
      const { closeTime } = await stack.client.workflow.getHandle(run.handle.workflowId).describe();
      return { key, run: run.id, ended: closeTime!.getTime(), terminated: end === 'terminated' };
    }),
  );

/** Who had a key since when, by the histories of its locks. */
async function holdersOf(stack: Stack, key: string): Promise<Had[]> {
  const id = lockIdOf(stack.taskQueue, key);
  const found: Had[] = [];
  for await (const { runId } of stack.client.workflow.list({ query: `WorkflowId = ${JSON.stringify(id)}` })) {
    const { events } = await stack.client.workflow.getHandle(id, runId).fetchHistory();
    for (const event of events ?? []) {
      const started = event.workflowExecutionStartedEventAttributes;
      const memo = started?.memo ?? event.workflowPropertiesModifiedEventAttributes?.upsertedMemo;
      const data = memo?.fields?.['holder']?.data;
      const holder = data ? (JSON.parse(Buffer.from(data).toString()) as Holder | null) : null;
      if (holder) found.push({ ...holder, free: started !== undefined && started !== null && !started.continuedExecutionRunId });
    }
  }
  return found;
}

export const proof: Proof = {
  name: 'locks',
  sets: ['time'],
  what: `${keys * usual} runs on ${keys} keys while workers are killed and runs are terminated: one holder at a time, none lost, no key kept from the living`,
  async run({ note, rounds }) {
    const each = rounds === 1 ? usual : rounds;
    await using bundle = await createBundle();
    const lines: Line[] = [];
    {
      await using stack = await createStack({ bundle: bundle.path, workers });
      let kills = 0;
      let terminated = 0;
      const { contenders, marks } = await contend(stack, each, async (all, over, file) => {
        const striking = strike(all, over, file);
        // By what has ended, not by the clock: a slow machine has as many kills.
        const ended = (): number => all.filter(({ end }) => end !== undefined).length;
        for (let due = perKill; ; due = ended() + perKill) {
          while (!over() && ended() < due) await delay(50);
          if (over()) return striking;
          const index = kills % workers;
          await stack.worker.kill(index);
          kills++;
          const { key, run, end } = all[randomInt(all.length)]!;
          if (end === undefined && (await terminate(run))) terminated++;
          // What was said twice changes nothing.
          const other = all[randomInt(all.length)]!;
          await stack.client.workflow.signalWithStart(lockWorkflow, {
            ...lockSettings(stack.taskQueue, key),
            args: [{ key }],
            signal: releaseSignal,
            signalArgs: [other.end === undefined ? 'nobody' : other.run.runId],
          });
          const before = await workersIn(file);
          await stack.worker.start(index);
          // Before it has worked it can hand over nothing: with the other one killed as well, nobody could.
          while (!over() && (await workersIn(file)).isSubsetOf(before)) await delay(50);
        }
      });
      const times = await timesOf(stack, contenders);
      const overlaps = overlapsIn(marks, times);
      const handovers = (await Promise.all([...new Set(contenders.map(({ key }) => key))].map((key) => holdersOf(stack, key)))).flatMap(
        (holders) => handoversOf(holders, times),
      );
      const late = Math.max(...handovers);
      const after = afterEnds(marks, times);
      const ends = Map.groupBy(contenders, ({ end }) => end);
      const lost = contenders.filter(
        ({ end, run }) => end !== 'terminated' && !(end === 'done' && marks.some((mark) => mark.run === run.id)),
      );
      note(`${contenders.length} runs: ${[...ends].map(([end, of]) => `${of.length} ${end}`).join(', ')}; ${kills} kills`);
      lines.push(
        line('runs that had the key at the same time', overlaps, '0', overlaps === 0),
        line('runs that neither had the key and ended well, nor were terminated', lost.length, '0', lost.length === 0),
        line(
          `handovers (${handovers.length}), ms from the end of a run to the next holder: longest`,
          late,
          `≤ ${longestMs}`,
          handovers.length >= contenders.length / 2 && late <= longestMs,
        ),
        line(
          `runs that went on after they were terminated (longest ${Math.max(0, ...after)} ms), so that the next could have met them`,
          after.length,
          '> 0',
          after.length > 0,
        ),
        line('kills of workers, runs terminated at random', `${kills}, ${terminated}`, '> 0 each', kills > 0 && terminated > 0),
      );
    }
    await using stack = await createStack({ bundle: bundle.path, workers, without: ['locks'] });
    const { contenders, marks } = await contend(stack, 3, async () => undefined);
    const overlaps = overlapsIn(marks, await timesOf(stack, contenders));
    lines.push(line('control, with the locks switched off: runs that had the key at the same time', overlaps, '> 0', overlaps > 0));
    return lines;
  },
};
