import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';
import type { World } from '../support/world.ts';
import { startText } from './support-run.ts';
import { makeGround } from './support-budget-states.ts';
import type { Settling } from './support-settling.ts';

/** A call of an apply that is held while a process is killed. */
export type Kill = {
  victim: 'worker' | 'service';
  operation: 'instance.budgets.update' | 'instance.budgets.create' | 'instance.budgets.setMembers';
  nth: number;
  hold: 'before' | 'after';
};

const calls = [
  ['instance.budgets.update', 1],
  ['instance.budgets.update', 2],
  ['instance.budgets.create', 1],
  ['instance.budgets.update', 3],
  ['instance.budgets.setMembers', 1],
] as const;

/** Every call of the apply, before and after its effect, for each process that may die. */
export const everyKill: readonly Kill[] = calls.flatMap(([operation, nth]) =>
  (['before', 'after'] as const).flatMap((hold) => (['worker', 'service'] as const).map((victim) => ({ victim, operation, nth, hold }))),
);

const pipeline = (file: string): string => `
name: budgets
concurrency: { key: budgets, when: queue }
steps:
  compare: { use: budgets.compare, with: { desired: ${file} } }
  apply: { use: budgets.apply, with: { differences: "\${{ steps.compare.differences }}" } }
`;

/** What a budget has of what a difference sets, and the limits of its members: two things, each of which changes whole. */
type Part = { settings: string; limits: string };

export type KilledRun = {
  done: boolean;
  /** Things that were neither as before nor as they should be when the killed process was back. */
  between: number;
  /** Things that are not as they should be at the end. */
  wrong: number;
  /** Effects beyond one for each difference. */
  twice: number;
};

/** The service forgets what was ordered when it is killed. */
export const withoutLimits = async ({ control }: World): Promise<void> => {
  for (const limit of ['instance/standard', 'instance/write']) await control.limit(limit, 10_000_000, 60);
};

let rounds = 0;

/** Four budgets, each for another kind of difference, and members' limits of one. */
async function prepare(world: World, settling: Settling) {
  const { invoke } = settling;
  const name = `Kill ${++rounds}`;
  const ground = await makeGround(world, settling, `Kill${rounds}`, 4);
  const [a, b, c, d] = ground.projects as [string, string, string, string];
  const limits = { enabled: true, defaultCents: 50, period: 'daily' as const };
  await invoke('instance.budgets.create', { projectId: a, amountCents: 5_000 });
  await invoke('instance.budgets.create', { projectId: b, amountCents: 800, memberLimits: limits });
  await invoke('instance.budgets.create', { projectId: d, amountCents: 100 });
  const own = ground.members.map(({ id }, at) => `${id}: ${at + 10}`).join(', ');
  const file = join(world.dir, `${name}.yaml`);
  await writeFile(
    file,
    `budgets:
  - { project: ${a}, amountCents: 1000, onExhausted: notify, renewal: { cadence: weekly, amountCents: 9 } }
  - { project: ${b}, amountCents: 800, onExhausted: notify, memberLimits: { defaultCents: 70 }, members: { ${own} } }
  - { project: ${c}, amountCents: 700, onExhausted: notify, memberLimits: { enabled: true, defaultCents: 5, period: monthly } }
  - { project: ${d}, amountCents: 2000, renewal: { cadence: daily, amountCents: 3 }, onExhausted: notify }
`,
  );
  const look = async (): Promise<Part[]> =>
    Promise.all(
      ground.projects.map(async (projectId) => {
        const { data } = await invoke('instance.budgets.list', { projectId });
        const [budget] = data;
        if (!budget) return { settings: 'none', limits: 'none' };
        const { funding, onExhausted, memberLimits } = budget;
        const members = (await invoke('instance.budgets.members', { id: budget.id, limit: 100 })).data;
        return {
          settings: canonical([funding, onExhausted, memberLimits] as unknown as Json),
          limits: canonical(members.map(({ id, limitCents }) => [id, limitCents ?? null])),
        };
      }),
    );
  return { file, look };
}

/** Things of `seen` that are neither as in `old` nor as in `made`. */
const neither = (seen: readonly Part[], old: readonly Part[], made: readonly Part[]): number =>
  seen.flatMap((part, at) => (['settings', 'limits'] as const).filter((of) => part[of] !== old[at]![of] && part[of] !== made[at]![of]))
    .length;

/** One apply of five differences; a process is killed with SIGKILL while a call of it is held. */
export async function killedApply(world: World, settling: () => Settling, kill: Kill): Promise<KilledRun> {
  const { file, look } = await prepare(world, settling());
  const old = await look();
  const from = (await world.control.journal()).rows.length;
  const fault = await world.control.fault(kill.operation, kill.nth, { hold: kill.hold });
  const run = await startText(world, pipeline(file));
  if (!(await world.control.held(fault.id, 60_000))) throw new Error(`call ${kill.nth} of ${kill.operation} was not held`);
  if (kill.victim === 'worker') await world.worker.kill();
  else await world.service.kill();
  if (kill.victim === 'worker') await world.control.release(fault.id);
  else {
    await world.service.start();
    await withoutLimits(world);
  }
  const seen = await look();
  if (kill.victim === 'worker') await world.worker.start(0);
  const view = await run.ended(600_000);
  const made = await look();
  const effects = (await world.control.journal()).rows
    .slice(from)
    .filter(({ operation, changed }) => operation.startsWith('instance.budgets.') && changed > 0);
  const unchanged = made.filter((part, at) => part.settings === old[at]!.settings).length;
  return {
    done: view.state === 'done',
    between: neither(seen, old, made),
    wrong: unchanged + (made[1]!.limits === old[1]!.limits ? 1 : 0),
    twice: effects.length - 5,
  };
}

/** The same look at a writer that changes amount and settings by a call each, and is held between them. */
export async function naiveBetween(world: World, settling: Settling): Promise<number> {
  const { invoke } = settling;
  const { look } = await prepare(world, settling);
  const old = await look();
  const { data } = await invoke('instance.budgets.list', { scope: 'project' });
  const id = data.find(({ name }) => name === `Kill${rounds} 0`)!.id;
  await invoke('instance.budgets.update', { id, amountCents: 1_000 });
  const seen = await look();
  await invoke('instance.budgets.update', { id, onExhausted: 'notify', renewal: { cadence: 'weekly', amountCents: 9 } });
  return neither(seen, old, await look());
}
