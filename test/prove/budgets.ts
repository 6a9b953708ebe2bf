import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reconcile } from '../../pipelines/budgets/ledger.ts';
import { ledgerMaker, tamper } from '../support/ledgers.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { drawBadBatch, isRefused, stateAround } from './support-bad-batches.ts';
import { everyKill, killedApply, naiveBetween, withoutLimits } from './support-budget-kills.ts';
import { budgetsThere, drawDesired, makeGround, notReached } from './support-budget-states.ts';
import { addCents } from './support-budget-writers.ts';
import { createSettling, type Settling } from './support-settling.ts';

/** Of a round; fifty are 100,000 ledgers, and 1,000 of everything else. */
const perRound = { ledgers: 2_000, states: 20, writers: 20, batches: 20 };

/** States that go through the commands. */
const throughCommands = 5;

const job = new URL('../../pipelines/budgets.yaml', import.meta.url).pathname;

function ledgers(count: number): Line[] {
  const maker = ledgerMaker();
  let [unexplained, cents, missed] = [0, 0, 0];
  for (let seed = 1; seed <= count; seed++) {
    const drawn = maker.draw(seed);
    const made = reconcile({ ...drawn, moving: false });
    unexplained += made.unexplainedCents;
    cents += made.spentCents;
    const { ledger, names } = tamper(drawn, seed);
    const findings = reconcile({ ...ledger, moving: false }).rows.filter(({ kind }) => kind === 'unexplained' || kind === 'of member');
    if (!findings.some(names)) missed++;
  }
  maker.close();
  return [
    line(
      'ledgers of the service’s own bookkeeping: cents unexplained',
      `${unexplained} of ${cents} in ${count} ledgers`,
      '0',
      unexplained === 0 && cents > count,
    ),
    line('control, one thing in each ledger changed: not named by a finding', `${missed} of ${count}`, '0', missed === 0),
  ];
}

/** Budgets brought to drawn states, one after another, with money spent between them. */
async function states(world: World, settling: Settling, count: number): Promise<Line[]> {
  let [empty, before, unlike, unlikeBefore] = [0, 0, 0, 0];
  let ground = await makeGround(world, settling, 'States', 8);
  for (let seed = 1; seed <= count; seed++) {
    // Budgets are never deleted: now and then all are new.
    if (seed % 50 === 0) ground = await makeGround(world, settling, `States${seed}`, 8);
    const desired = drawDesired(seed, ground, await budgetsThere(settling, ground));
    const differences = await settling.compared(desired);
    if (differences.length > 0) before++;
    unlikeBefore += await notReached(settling, ground, desired);
    await settling.settle(differences);
    if ((await settling.compared(desired)).length === 0) empty++;
    unlike += await notReached(settling, ground, desired);
    const projectId = ground.projects[seed % ground.projects.length]!;
    await world.control.spend({ run: `run-${seed}`, nanoUsd: (seed % 400) * 10_000_000, projectId });
  }
  return [
    line('drawn states: plan is empty once they are applied', `${empty} of ${count}`, `${count}`, empty === count),
    line('and budgets are not as the files say, as the service shows each', unlike, '0', unlike === 0),
    line('control, before they are applied: plan is empty', `${count - before} of ${count}`, 'at most a tenth', before >= 0.9 * count),
    line('control, before they are applied: budgets not as the files say', unlikeBefore, `> ${count}`, unlikeBefore > count),
  ];
}

/** The same by the commands: plan, run, approve, plan. */
async function byCommands(world: World, settling: Settling): Promise<Line> {
  const ground = await makeGround(world, settling, 'Commands', 4);
  let [empty, unlike] = [0, 0];
  for (let seed = 1; seed <= throughCommands; seed++) {
    const desired = join(world.dir, `desired-${seed}.json`);
    const drawn = drawDesired(seed, ground, await budgetsThere(settling, ground));
    await writeFile(desired, JSON.stringify(drawn));
    const portolan = (verb: string) => world.portolan([verb, job, '-c', 'local', '--json', '-p', `desired=${desired}`]);
    const planned = async (): Promise<number> => (JSON.parse((await portolan('plan')).out).steps[0].differences ?? []).length;
    const first = await planned();
    const { run } = JSON.parse((await portolan('run')).out.trim().split('\n').at(-1)!) as { run: string };
    await world.portolan(['approve', run, 'approve']);
    const { view } = await world.ended(run);
    if (view.state === 'done' && first > 0 && (await planned()) === 0) empty++;
    unlike += await notReached(settling, ground, drawn);
  }
  return line(
    'by plan, run, approve and plan again: empty, budgets not as the files say',
    `${empty} of ${throughCommands}, ${unlike}`,
    `${throughCommands}, 0`,
    empty === throughCommands && unlike === 0,
  );
}

async function writers(world: World, settling: Settling, count: number): Promise<Line[]> {
  const ground = await makeGround(world, settling, 'Writers', Math.ceil(count / 20));
  const budgets = await Promise.all(
    ground.projects.map(async (projectId) => (await settling.invoke('instance.budgets.create', { projectId, amountCents: 10 })).id),
  );
  const held = await addCents(settling, budgets, { writers: count, compare: true });
  const blind = await addCents(settling, budgets, { writers: count, compare: false });
  return [
    line(
      'writers at once, each adds a cent: updates lost',
      `${held.lost} of ${held.added} (${held.again} began anew)`,
      `0 of ${count}`,
      held.lost === 0 && held.added === count,
    ),
    line('control, the compare switched off: updates lost', `${blind.lost} of ${blind.added}`, '> 0', blind.lost > 0),
  ];
}

async function batches(world: World, settling: Settling, count: number): Promise<Line[]> {
  const ground = await makeGround(world, settling, 'Batches', 1);
  const { id } = await settling.invoke('instance.budgets.create', {
    projectId: ground.projects[0]!,
    amountCents: 2_000,
    memberLimits: { enabled: true, defaultCents: 9, period: 'daily' },
  });
  let [refused, traces, good] = [0, 0, 0];
  for (let seed = 1; seed <= count; seed++) {
    const batch = drawBadBatch(seed, id, ground);
    const before = await stateAround(settling, id);
    if (await isRefused(settling, batch.bad)) refused++;
    if ((await stateAround(settling, id)) !== before) traces++;
    // Of the rest of the batch something would have been left.
    if (seed % 10 !== 0) continue;
    if (!(await isRefused(settling, batch.good)) && (await stateAround(settling, id)) !== before) good++;
  }
  return [
    line(
      'batches with one thing that is not taken: refused, with a trace',
      `${refused}, ${traces} of ${count}`,
      `${count}, 0`,
      refused === count && traces === 0,
    ),
    line('control, every tenth without that thing: with a trace', `${good} of ${Math.floor(count / 10)}`, '> 0', good > 0),
  ];
}

async function kills(world: World, note: (text: string) => void): Promise<Line[]> {
  let [done, between, wrong, twice] = [0, 0, 0, 0];
  for (const kill of everyKill) {
    const ended = await killedApply(world, () => createSettling(world), kill);
    done += Number(ended.done);
    between += ended.between;
    wrong += ended.wrong;
    twice += Math.abs(ended.twice);
    if (!ended.done || ended.between + ended.wrong + Math.abs(ended.twice) > 0)
      note(`${kill.victim} killed, call ${kill.nth} of ${kill.operation} held ${kill.hold}: ${JSON.stringify(ended)}`);
  }
  const naive = await naiveBetween(world, createSettling(world));
  return [
    line(
      'kill -9 of worker and service at every call of an apply: budgets and limits between old and new',
      `${between} in ${everyKill.length} kills`,
      '0',
      between === 0,
    ),
    line(
      'and in the end: runs done, not as they should be, effects too many',
      `${done}, ${wrong}, ${twice}`,
      `${everyKill.length}, 0, 0`,
      done === everyKill.length && wrong === 0 && twice === 0,
    ),
    line('control, amount and settings by a call each: between old and new', naive, '> 0', naive > 0),
  ];
}

export const proof: Proof = {
  name: 'budgets',
  sets: ['agents'],
  rounds: 50,
  what: 'budgets to the cent: ledgers reconcile, drawn states are reached, writers at once lose nothing, invalid batches leave no trace, a kill anywhere leaves old or new',
  async run({ note, rounds }) {
    const of = (each: keyof typeof perRound): number => perRound[each] * rounds;
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    await withoutLimits(world);
    await world.control.contract({ amountCents: 100_000_000 });
    const settling = createSettling(world);
    const lines: Line[] = [];
    const timed = async (what: string, part: () => Line[] | Promise<Line[]>): Promise<void> => {
      const began = performance.now();
      lines.push(...(await part()));
      note(`${what}: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    };
    await timed('ledgers', () => ledgers(of('ledgers')));
    // Money that no agent has cost is a finding of the job: it is spent after it.
    await timed('commands', async () => [await byCommands(world, settling)]);
    await timed('states', () => states(world, settling, of('states')));
    await timed('writers', () => writers(world, settling, of('writers')));
    await timed('batches', () => batches(world, settling, of('batches')));
    await timed('kills', () => kills(world, note));
    return lines;
  },
};
