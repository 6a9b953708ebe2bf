import { assumptionNames, assumptionsOf, readingsOf, type AssumptionName, type Readings } from '../../contracts/assumptions/index.ts';
import { createMap, shardOf } from '../service/world.ts';
import { createStepWorld, type StepWorld } from '../activities/step-world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { findsOnFirstPage, instanceJobsUnder, prepareInstance } from './support-readings-instance.ts';
import type { Outcome } from './support-readings-jobs.ts';
import { jobsUnder } from './support-readings.ts';

/** Errors that name what they refuse. */
const typed = new Set(['ReadingUnknown', 'NotOffered', 'Inconclusive', 'ServiceFailed', 'ApiError', 'ContractError', 'BadInput']);

type Taken = { name: AssumptionName; reading: string }[];

/** The readings of an API other than the guesses. */
const othersOf = (api: keyof typeof assumptionsOf): Taken =>
  assumptionNames
    .filter((name) => Object.hasOwn(assumptionsOf[api], name))
    .flatMap((name) => (readingsOf(name) as string[]).slice(1).map((reading) => ({ name, reading })));
const others = { maps: othersOf('maps'), instance: othersOf('instance') };

/** The one pair under which nothing but the jobs of an index says that its build has failed. */
const failedInSilence: Taken = [
  { name: 'model-check', reading: 'at-build' },
  { name: 'failed-build', reading: 'silent' },
];

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pairsOf(of: Taken, count: number): Taken[] {
  const next = drawn(20_261_122);
  const pick = () => of[Math.floor(next() * of.length)]!;
  return Array.from({ length: count }, () => {
    const one = pick();
    let two = pick();
    while (two.name === one.name) two = pick();
    return [one, two];
  });
}

/**
 * The order that the product once had: delete, add at once, update, and the count as proof. Rows that are lost although the
 * count before and after is what it should be would be lost in silence.
 */
async function oldOrder(world: StepWorld): Promise<{ lost: number; green: boolean }> {
  const { api, control } = world;
  const { project_id } = await createMap(world, 60);
  const ids = Array.from({ length: 10 }, (_, at) => `row-${at}`);
  const count = async (): Promise<number> => (await api.get(`/v1/project/${project_id}`)).body.total_datums_in_project;
  const before = await count();
  await control.assume({ 'readded-id': 'skipped' });
  await api.post('/v1/project/data/delete', { project_id, datum_ids: ids });
  const added = await api.post('/v1/project/data/add/arrow', shardOf(project_id, 10));
  const green = added.status === 200 && (await count()) === before;
  await api.post('/v1/project/update_indices', { project_id });
  await control.assume();
  return { lost: before - (await count()), green };
}

/** What is tried of each API: the guesses, each other reading alone, and pairs. `under` begins with the API where that is not the maps API. */
function casesOf(pairs: number): { api: keyof typeof others; taken: Taken; under: string; key: string }[] {
  const lists = {
    maps: [[], ...others.maps.map((each) => [each]), failedInSilence, ...pairsOf(others.maps, pairs)],
    instance: [[], ...others.instance.map((each) => [each]), ...pairsOf(others.instance, pairs)],
  };
  return (['maps', 'instance'] as const).flatMap((api) =>
    lists[api].map((taken, at) => {
      const readings = taken.map(({ name, reading }) => `${name}=${reading}`).join(', ') || 'the guesses';
      const under = api === 'maps' ? readings : `instance: ${readings}`;
      return { api, taken, under, key: `${at} ${under}` };
    }),
  );
}

/** Cases of one world: its lists, and what is read of them, grow with each. */
const casesOfWorld = 10;

type Worlds = ReturnType<typeof createWorlds>;

/** The worlds of the cases, one after the other. */
function createWorlds() {
  let now: { world: StepWorld; api: keyof typeof others; left: number } | undefined;
  const end = async (): Promise<void> => {
    await now?.world[Symbol.asyncDispose]();
    now = undefined;
  };
  return {
    async of(api: keyof typeof others): Promise<StepWorld> {
      if (now?.api === api && now.left > 0) now.left--;
      else {
        await end();
        now = { world: await createStepWorld([], { settleMs: 300, lagMs: 3_000 }), api, left: casesOfWorld - 1 };
        if (api === 'instance') await prepareInstance(now.world);
      }
      return now.world;
    },
    [Symbol.asyncDispose]: end,
  };
}

/** What somebody finds who relies on a guess, for each API that was tried. */
async function controls(worlds: Worlds, apis: ReadonlySet<string>): Promise<Line[]> {
  const lines: Line[] = [];
  if (apis.has('maps')) {
    const old = await oldOrder(await worlds.of('maps'));
    lines.push(
      line(
        'control, the old order of replace under readded-id=skipped: rows lost while its checks were green',
        old.green ? old.lost : 0,
        '> 0',
        old.green && old.lost > 0,
      ),
    );
  }
  if (apis.has('instance')) {
    const world = await worlds.of('instance');
    const [newest, oldest] = [await findsOnFirstPage(world, 'newest'), await findsOnFirstPage(world, 'oldest')];
    lines.push(
      line(
        'control, a look-up of one page finds the agent that was launched last, under agent-order=newest and =oldest',
        `${newest}, ${oldest}`,
        'true, false',
        newest && !oldest,
      ),
    );
  }
  return lines;
}

export const proof: Proof = {
  name: 'readings',
  sets: ['floor'],
  // Pairs that are drawn, of each API.
  rounds: 100,
  what: `every job under each of ${others.maps.length} readings of the maps API and ${others.instance.length} of the instance API other than the guess, alone and in drawn pairs: right, or refused by name; \`--only instance\` tries one API`,
  async run({ note, rounds, kept, only }) {
    await using worlds = createWorlds();
    const cases = casesOf(rounds).filter(({ under }) => only === undefined || under.includes(only));
    const apis = new Set(cases.map(({ api }) => api));
    const all: (Outcome & { under: string })[] = [];
    for (const [at, { api, taken, under, key }] of cases.entries()) {
      const readings = Object.fromEntries(taken.map(({ name, reading }) => [name, reading])) as Partial<Readings>;
      const jobs = api === 'maps' ? jobsUnder : instanceJobsUnder;
      const outcomes = await kept.round(key, async () => jobs(await worlds.of(api), readings, `readings-${at}`));
      all.push(...outcomes.map((each) => ({ ...each, under })));
      const unlike = outcomes.filter(({ is }) => is !== 'right');
      note(
        `${under}: ${outcomes.length - unlike.length} of ${outcomes.length} right${unlike.map(({ job, is, what }) => `; ${job} ${is}: ${what.slice(0, 160)}`).join('')}`,
      );
    }
    const wrong = all.filter(({ is }) => is === 'wrong');
    const refused = all.filter(({ is }) => is === 'refused');
    const guessed = all.filter(({ under }) => under.endsWith('the guesses'));
    const alone = cases.filter(({ taken }) => taken.length === 1).length;
    return [
      line(
        'jobs under the guesses that are right',
        `${guessed.filter(({ is }) => is === 'right').length} of ${guessed.length}`,
        'all',
        guessed.every(({ is }) => is === 'right'),
      ),
      line(
        `cases: ${alone} readings alone, ${cases.filter(({ taken }) => taken.length === 2).length} pairs; jobs green and wrong`,
        `${wrong.length} of ${all.length}${wrong.map(({ under, job, what }) => `; ${under}: ${job}: ${what.slice(0, 200)}`).join('')}`,
        '0',
        wrong.length === 0 && all.length > 0,
      ),
      line(
        'jobs refused by an error with a name of ours or a status of the service',
        `${refused.length}: ${[...new Set(refused.map(({ what }) => what.split(':')[0]!))].join(', ') || 'none'}`,
        [...typed].join(', '),
        refused.every(({ what }) => typed.has(what.split(':')[0]!)),
      ),
      ...(await controls(worlds, apis)),
    ];
  },
};
