import { effectsOf } from '../../cli/demo/chaos/account.ts';
import type { Stack } from '../support/stack.ts';

const operations = ['launch', 'followup'] as const;
type Operation = (typeof operations)[number];
const nameOf = (operation: Operation) => `instance.agents.${operation}` as const;

const victims = ['worker', 'temporal', 'service'] as const;
type Victim = (typeof victims)[number];

/** What a run of agents meets: effects that it will have, kills in turn, and answers that are lost after their effect. */
export type Trouble = { effects: Record<Operation, number>; kills: number; lost: Record<Operation, number> };

export type Met = { kills: Record<Victim, number>; lost: Record<Operation, number> };

/** Trouble comes in the first of this part of what is left: behind it there is still something that it can hit. */
const part = 0.8;

/** How many kills of a plan fall on each victim. */
export const killsOf = (kills: number): Record<Victim, number> =>
  Object.fromEntries(victims.map((victim, at) => [victim, Math.ceil((kills - at) / victims.length)])) as Record<Victim, number>;

/** Which calls of so many are hit, spread over them. Kills take odd ones and losses even ones, for one call has one fault. */
const spread = (many: number, calls: number, odd: boolean): number[] => {
  const found: number[] = [];
  for (let at = 0; at < many; at++) {
    const near = 2 * Math.floor(((at + 0.5) * calls * part) / many / 2) + (odd ? 1 : 2);
    found.push(Math.max(near, (found.at(-1) ?? 0) + (found.length === 0 ? 0 : 2)));
  }
  return found;
};

/** Orders what a plan still has to bring over the calls that are still to come; the holds that a kill each waits for. */
async function order({ control }: Stack, { effects, kills, lost }: Trouble): Promise<readonly string[]> {
  for (const operation of operations)
    for (const nth of spread(lost[operation], effects[operation], false))
      await control.faultIfCalled(nameOf(operation), nth, { lose: 'answer' });
  const whole = effects.launch + effects.followup;
  const onLaunches = Math.round((kills * effects.launch) / Math.max(1, whole));
  const holds: string[] = [];
  for (const [operation, many] of [
    ['launch', onLaunches],
    ['followup', kills - onLaunches],
  ] as const)
    for (const [at, nth] of spread(many, effects[operation], true).entries())
      holds.push((await control.faultIfCalled(nameOf(operation), nth, { hold: at % 2 === 0 ? 'after' : 'before' })).id);
  return holds;
}

/** Ends a process while a call is held, and starts it again. */
async function strike({ control, worker, temporal, service }: Stack, victim: Victim, held: string): Promise<void> {
  if (victim === 'service') {
    await service.kill();
    await service.start();
  } else if (victim === 'worker') {
    await worker.kill();
    await control.release(held);
    await worker.start(0);
  } else {
    await temporal.kill();
    await temporal.start();
    await control.release(held);
  }
}

/** The hold at which a call stands first: any of them, for those behind it may wait for what a call of another operation holds up. */
const firstHeld = ({ control }: Stack, holds: readonly string[], over: Promise<undefined>): Promise<string | undefined> =>
  Promise.race([
    ...holds.map(async (id) => ((await control.held(id, 600_000).catch(() => false)) ? id : new Promise<never>(() => undefined))),
    over,
  ]);

/**
 * Brings the trouble of a plan over a run, which `begin` starts once it is ordered, spread over its calls, and says what of it has hit: each kill while a call is held. After
 * each of them what is left is ordered anew over what is left. A service that was killed has forgotten its limits too: `ready` opens them.
 */
export async function troubleAlong(
  stack: Stack,
  plan: Trouble,
  ready: () => Promise<void>,
  begin: () => Promise<{ ended: Promise<unknown> }>,
): Promise<Met> {
  const { control } = stack;
  const from = { journal: (await control.journal()).rows.length, log: (await control.requests()).rows.length };
  const met: Met = { kills: { worker: 0, temporal: 0, service: 0 }, lost: { launch: 0, followup: 0 } };
  /** By the log of the service, which outlives its kills. */
  const countLost = async (): Promise<void> => {
    const rows = (await control.requests()).rows.slice(from.log);
    for (const operation of operations)
      met.lost[operation] = rows.filter((row) => row.operation === nameOf(operation) && row.fault?.includes('"lose"')).length;
  };
  const left = async (killed: number): Promise<Trouble> => {
    await countLost();
    const rows = (await control.journal()).rows.slice(from.journal);
    const of = (each: (operation: Operation) => number): Record<Operation, number> => ({
      launch: each('launch'),
      followup: each('followup'),
    });
    return {
      effects: of((each) => plan.effects[each] - effectsOf(rows, each).count),
      kills: plan.kills - killed,
      lost: of((each) => Math.max(0, plan.lost[each] - met.lost[each])),
    };
  };
  let holds = await order(stack, plan);
  const { ended } = await begin();
  const over = ended.then(
    () => undefined,
    () => undefined,
  );
  for (let killed = 0; killed < plan.kills; killed++) {
    const next = await firstHeld(stack, holds, over);
    if (next === undefined) break;
    const victim = victims[killed % victims.length]!;
    await strike(stack, victim, next);
    met.kills[victim]++;
    if (victim === 'service') await ready();
    else await control.clear();
    holds = await order(stack, await left(killed + 1));
  }
  await over;
  await countLost();
  return met;
}
