import { setTimeout as sleep } from 'node:timers/promises';
import { createStack, type Stack, type WorkerOptions } from '../support/stack.ts';
import { stopProcess } from '../support/stop-process.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { startText, type StartedRun } from './support-run.ts';
import { cases, createOutside, prepareLab, type Case, type Damage, type Lab } from './support-zombie.ts';

/** So long a worker stands still: its work is given away after 3 s. */
const stoppedMs = 10_000;

const start = (lab: Lab) => async (text: string) => {
  const view = await (await startText(lab.stack, text, {}, { steps: lab.steps })).ended();
  if (view.state !== 'done') throw new Error(`${view.pipeline} is ${view.state}: ${view.error?.message}`);
};

type Outcome = { case: string; state: string; damage: Damage };

/**
 * One round: every case is begun on one worker and held in the middle, the worker is stopped, another one takes over and ends
 * all runs, the world goes on, and then the first worker goes on too.
 */
async function round(lab: Lab, made: number, from: number, worker: WorkerOptions): Promise<{ outcomes: Outcome[]; seconds: number }> {
  const { stack, outside } = lab;
  const { control } = stack;
  const begun = performance.now();
  const all = cases(start);
  const runs: { which: Case; run: StartedRun }[] = [];
  const holds: string[] = [];
  const item = outside.hold();
  for (const which of all) {
    const { text, accept = [], holds: orders } = await which.prepare(lab, made);
    const ordered: string[] = [];
    for (const { operation, nth, do: action } of orders) ordered.push((await control.fault(operation, nth, action)).id);
    runs.push({ which, run: await startText(stack, text, {}, { steps: lab.steps, accept }) });
    const last = ordered.at(-1);
    if (last === undefined) await item.held;
    else if (!(await control.held(last, 120_000)))
      throw new Error(
        `${which.name} was not held; calls: ${(await control.requests()).rows
          .slice(-12)
          .map(({ operation, status }) => `${operation} ${status}`)
          .join(', ')}`,
      );
    holds.push(...ordered);
  }
  const pid = stack.worker.pid(from);
  await stopProcess(pid);
  const stoppedAt = performance.now();
  item.release();
  for (const id of holds) await control.release(id);
  await stack.worker.start(1 - from, worker);
  const states = await Promise.all(runs.map(async ({ run }) => (await run.ended(120_000)).state));
  for (const { which } of runs) await which.meanwhile?.(lab);
  await sleep(Math.max(0, stoppedMs - (performance.now() - stoppedAt)));
  lab.notes.set('thawed', String(Date.now()));
  process.kill(pid, 'SIGCONT');
  // Draining waits for what it still has in hand.
  await stack.worker.stop(from, 30_000);
  const outcomes: Outcome[] = [];
  for (const [at, { which }] of runs.entries()) outcomes.push({ case: which.name, state: states[at]!, damage: await which.damage(lab) });
  await control.clear();
  return { outcomes, seconds: (performance.now() - begun) / 1_000 };
}

const shown = (outcomes: readonly Outcome[]): string =>
  outcomes.map(({ case: name, state, damage }) => `${name} ${state}, repeated ${damage.repeated}, lost ${damage.lost}`).join('; ');

async function rounds(stack: Stack, count: number, worker: WorkerOptions, note: (text: string) => void): Promise<Outcome[]> {
  await using outside = await createOutside();
  const lab = await prepareLab(stack, outside);
  const outcomes: Outcome[] = [];
  for (let made = 0; made < count; made++) {
    const done = await round(lab, made, made % 2, worker);
    note(`${done.seconds.toFixed(0)} s: ${shown(done.outcomes)}`);
    outcomes.push(...done.outcomes);
  }
  return outcomes;
}

const sum = (outcomes: readonly Outcome[], of: keyof Damage): number => outcomes.reduce((total, { damage }) => total + damage[of], 0);

export const proof: Proof = {
  name: 'zombies',
  sets: ['short', 'floor'],
  what: 'a worker stopped for 10 s in the middle of five acts, while another one takes over and ends them, then continued: nothing twice, nothing lost',
  async run({ note, rounds: asked, short }) {
    const count = short ? 1 : asked === 1 ? 20 : asked;
    await using bundle = await createBundle();
    const lines: Line[] = [];
    {
      await using stack = await createStack({ bundle: bundle.path });
      const outcomes = await rounds(stack, count, {}, note);
      for (const [name, mine] of Map.groupBy(outcomes, (each) => each.case)) {
        const done = mine.filter(({ state }) => state === 'done').length;
        lines.push(
          line(
            `${name}, ${mine.length} round${mine.length === 1 ? '' : 's'}`,
            `${done} done, repeated ${sum(mine, 'repeated')}, lost ${sum(mine, 'lost')}`,
            `${count} done, repeated 0, lost 0`,
            done === count && sum(mine, 'repeated') === 0 && sum(mine, 'lost') === 0,
          ),
        );
      }
    }
    await using blind = await createStack({ bundle: bundle.path, without: ['fence'] });
    const outcomes = await rounds(blind, 1, { without: ['fence'] }, note);
    for (const { case: name, damage } of outcomes)
      lines.push(
        line(
          `control, ${name} without the fence`,
          `repeated ${damage.repeated}, lost ${damage.lost}`,
          'damage',
          damage.repeated + damage.lost > 0,
        ),
      );
    return lines;
  },
};
