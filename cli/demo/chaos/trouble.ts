import type { DemoControl } from '../control.ts';

/** `lost`: answers of launches that are lost, and as many of follow-ups; `limit`: launches and follow-ups that are accepted in so many seconds. */
export type TroubleSize = { kills: number; lost: number; limit: { count: number; seconds: number } };

/** What each side meets, by the number of its notes. */
export const troubleFor = (items: number): TroubleSize => ({
  kills: Math.max(1, Math.round(items / 75)),
  lost: Math.max(1, Math.round(items / 50)),
  limit: { count: Math.max(10, Math.round(items / 15)), seconds: 3 },
});

/** The whole of a kill may take so long: a side that has ended without coming to it has met less than it should. */
const longestMs = 600_000;

/** Sets the limits of a side, loses answers after their effect, and kills its process each time with a launch under way. */
export async function makeTrouble(
  control: DemoControl,
  { items, kills, lost, limit }: { items: number } & TroubleSize,
  kill: () => unknown,
  report: (line: string) => void,
) {
  for (const wide of ['instance/standard', 'instance/write'] as const) await control.limit(wide, 1_000_000, 60);
  await control.limit('instance/heavy', limit.count, limit.seconds);
  await control.pace(0, 3);
  const losses: string[] = [];
  // Every second note has a follow-up.
  for (const [operation, calls] of [
    ['instance.agents.launch', items],
    ['instance.agents.followup', items / 2],
  ] as const)
    for (let at = 0; at < lost; at++)
      losses.push(await control.fault(operation, 1 + Math.floor(((at + 0.25) * calls) / lost), { lose: 'answer' }));
  const holds: string[] = [];
  for (let at = 1; at <= kills; at++)
    holds.push(await control.fault('instance.agents.launch', 1 + Math.floor((at * items) / (kills + 1)), { hold: 'after' }));

  let killed = 0;
  const killing = (async () => {
    for (const id of holds) {
      if (!(await control.held(id, longestMs))) return;
      await kill();
      killed++;
      report(`killed (SIGKILL) with a launch under way, ${killed} of ${kills}; it is started again`);
      await control.release(id);
    }
  })();
  // What waits when the demo ends is given up.
  killing.catch(() => undefined);
  return {
    killed: () => killed,
    answersLost: async (): Promise<number> => (await control.faults()).filter(({ id, fired }) => losses.includes(id) && fired > 0).length,
  };
}
