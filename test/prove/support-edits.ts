import type { RunView } from '../../workflows/messages.ts';
import type { World } from '../support/world.ts';
import { dueRuns } from './support-overlap.ts';
import { between, until, untilTime, windowBefore } from './support-real-time.ts';
import { apply, command, difference, documents, firedOf, textOf, type Fired, type Scheduled } from './support-schedules.ts';

const everyMs = 5_000;
const call = 'maps.projects.list';

const ways = ['allowAll', 'bufferAll', 'skip'] as const;

/** A schedule whose file was edited and applied while a run of it went on. */
type Edited = {
  overlap: (typeof ways)[number];
  lost: number;
  besides: number;
  doubled: number;
  runs: number;
  /** The plan of the run that went on, how many runs had the new one, and how many that of the other side of the edit. */
  held: string;
  second: number;
  wrong: number;
  /** The file against the schedule: as applied, edited, applied again; and what `list` says in between. */
  freshness: string[];
  listed: boolean;
};

/** Holds a run of each of three schedules, edits their files, applies them, and lets go of the runs two windows later. */
export async function edits(world: World): Promise<Edited[]> {
  const before = ways.map((overlap): Scheduled => ({
    name: `edited-${overlap.toLowerCase()}`,
    schedule: `{ every: 5s, overlap: ${overlap} }`,
    operation: call,
  }));
  const names = before.map(({ name }) => name);
  const freshness: string[][] = [];
  const look = async (): Promise<void> => {
    // What was applied this moment the server does not list yet.
    const states = await until('all are listed', async () => {
      const listed = await documents<'schedule'>(world, 'list');
      const mine = names.flatMap((name) => listed.find((state) => state.name === name) ?? []);
      return mine.length === names.length ? mine : undefined;
    });
    freshness.push(states.map(({ file_is }) => file_is));
  };
  await apply(world, ...before);
  await look();
  const from = Date.now();
  const fired = (): Promise<Fired[]> => firedOf(world, names);
  const each = (all: readonly Fired[], holds: (of: Fired[]) => boolean): true | undefined =>
    names.every((name) => holds(all.filter(({ schedule }) => schedule === name))) || undefined;
  await until('each has run once', async () => each(await fired(), (of) => of.some(({ endedAt }) => endedAt !== undefined)));

  const hold = await world.control.faultIfCalled(call, 1, { hold: 'before' }, 10_000);
  const held = await until('a run of each is held', async () => {
    const open = (await fired()).filter(({ endedAt }) => endedAt === undefined);
    const calls = (await world.control.faults()).find(({ id }) => id === hold.id)?.fired ?? 0;
    return each(open, (of) => of.length > 0) && calls >= ways.length
      ? names.map((name) => open.find(({ schedule }) => schedule === name)!)
      : undefined;
  });
  const after = before.map((pipeline) => ({ ...pipeline, plan: 'second' }));
  await Promise.all(after.map((pipeline) => world.write(`pipelines/${pipeline.name}.yaml`, textOf(pipeline))));
  await look();
  const list = await command(world, 'list');
  const editedAt = Date.now();
  await apply(world, ...after);
  const appliedAt = Date.now();
  await look();
  // Two windows more while the runs of the old plan go on, and two when they are over.
  await untilTime(windowBefore(everyMs, appliedAt) + 2 * everyMs);
  const released = await between(everyMs);
  await world.control.release(hold.id);
  const to = windowBefore(everyMs, released) + 2 * everyMs;
  await until('runs after the release are over', async () => {
    const known = await fired();
    const over = known.filter(({ at }) => at <= to).every(({ endedAt }) => endedAt !== undefined);
    return over && each(known, (of) => of.some(({ at }) => at > to)) ? true : undefined;
  });
  const all = (await fired()).filter(({ at }) => at <= to);
  await command(world, 'delete', ...names, '--yes');

  return Promise.all(
    ways.map(async (overlap, index): Promise<Edited> => {
      const ran = all.filter(({ schedule }) => schedule === names[index]);
      return {
        ...judged(overlap, ran, { from, to }),
        ...(await plansOf(world, ran, { editedAt, appliedAt, held: held[index]! })),
        freshness: freshness.map((states) => states[index]!),
        listed: new RegExp(`^ *${names[index]!} .*older than its file`, 'm').test(list),
      };
    }),
  );
}

/** Windows from one moment to another against the runs that there were. */
function judged(overlap: Edited['overlap'], ran: readonly Fired[], { from, to }: { from: number; to: number }) {
  const first = windowBefore(everyMs, from) + everyMs;
  const windows = Array.from({ length: Math.floor((to - first) / everyMs) + 1 }, (_, index) => first + index * everyMs);
  const ends = new Map(ran.map(({ at, endedAt }) => [at, endedAt]));
  const due = dueRuns(
    windows.map((at) => ({ at, seen: at })),
    { overlap, catchUpMs: Infinity },
    (at) => ends.get(at),
  );
  const { lost, besides, doubled } = difference(
    due,
    ran.map(({ at }) => at),
  );
  return {
    overlap,
    runs: ran.length,
    lost: lost.length,
    besides: besides.filter((at) => at >= first).length,
    doubled: doubled.length,
  };
}

/** Which plan the runs had. What is kept for later starts with the plan of then. */
async function plansOf(
  world: World,
  ran: readonly Fired[],
  { editedAt, appliedAt, held }: { editedAt: number; appliedAt: number; held: Fired },
) {
  const plans = await Promise.all(ran.map(async (run) => ({ run, plan: await planOf(world, run) })));
  return {
    held: plans.find(({ run }) => run.workflowId === held.workflowId)!.plan,
    second: plans.filter(({ plan }) => plan === 'second').length,
    wrong: plans.filter(
      ({ run, plan }) => (run.startedAt > appliedAt && plan !== 'second') || (run.startedAt < editedAt && plan !== 'first'),
    ).length,
  };
}

/** The word that a run gave as that of its plan. */
async function planOf({ client }: World, { workflowId }: Fired): Promise<string> {
  const { outputs } = (await client.workflow.getHandle(workflowId).result()) as RunView;
  return String((outputs as Record<string, unknown>)['plan']);
}
