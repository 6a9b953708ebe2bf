import { assumptionNames, assumptionsOf, readingsOf, type Readings } from '../../contracts/assumptions/index.ts';
import { createMap, shardOf } from '../service/world.ts';
import { createStepWorld, type StepWorld } from '../activities/step-world.ts';
import { line, type Proof } from './proof.ts';
import { jobsUnder, type Outcome } from './support-readings.ts';

/** Pairs drawn where no number of rounds is given. */
const fewPairs = 10;

/** Errors that name what they refuse. */
const typed = new Set(['ReadingUnknown', 'NotOffered', 'Inconclusive', 'ServiceFailed', 'ApiError', 'ContractError', 'BadInput']);

/** Jobs of the maps API: those of the instance API have tests of their own (test/service/instance-readings.test.ts). */
const ofMaps = assumptionNames.filter((name) => Object.hasOwn(assumptionsOf.maps, name));
const others = ofMaps.flatMap((name) => (readingsOf(name) as string[]).slice(1).map((reading) => ({ name, reading })));

/** The one pair under which nothing but the jobs of an index says that its build has failed. */
const failedInSilence: typeof others = [
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

function pairsOf(count: number): (typeof others)[] {
  const next = drawn(20_261_122);
  const pick = () => others[Math.floor(next() * others.length)]!;
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

export const proof: Proof = {
  name: 'readings',
  sets: ['floor'],
  what: `every job under each of ${others.length} readings other than the guess, alone and in drawn pairs: right, or refused by name`,
  async run({ note, rounds, kept }) {
    await using world = await createStepWorld([], { settleMs: 300, lagMs: 3_000 });
    const cases = [[], ...others.map((each) => [each]), failedInSilence, ...pairsOf(rounds === 1 ? fewPairs : rounds)];
    const all: (Outcome & { under: string })[] = [];
    for (const [at, taken] of cases.entries()) {
      const under = taken.map(({ name, reading }) => `${name}=${reading}`).join(', ') || 'the guesses';
      const readings = Object.fromEntries(taken.map(({ name, reading }) => [name, reading])) as Partial<Readings>;
      const outcomes = await kept.round(`${at} ${under}`, () => jobsUnder(world, readings, `readings-${at}`));
      all.push(...outcomes.map((each) => ({ ...each, under })));
      const unlike = outcomes.filter(({ is }) => is !== 'right');
      note(
        `${under}: ${outcomes.length - unlike.length} of ${outcomes.length} right${unlike.map(({ job, is, what }) => `; ${job} ${is}: ${what.slice(0, 160)}`).join('')}`,
      );
    }
    const wrong = all.filter(({ is }) => is === 'wrong');
    const refused = all.filter(({ is }) => is === 'refused');
    const guessed = all.filter(({ under }) => under === 'the guesses');
    const old = await oldOrder(world);
    return [
      line(
        'jobs under the guesses that are right',
        `${guessed.filter(({ is }) => is === 'right').length} of ${guessed.length}`,
        'all',
        guessed.every(({ is }) => is === 'right'),
      ),
      line(
        `cases: ${others.length} readings alone, ${cases.length - others.length - 1} pairs; jobs green and wrong`,
        `${wrong.length} of ${all.length}${wrong.map(({ under, job, what }) => `; ${under}: ${job}: ${what.slice(0, 200)}`).join('')}`,
        '0',
        wrong.length === 0,
      ),
      line(
        'jobs refused by an error with a name of ours or a status of the service',
        `${refused.length}: ${[...new Set(refused.map(({ what }) => what.split(':')[0]!))].join(', ') || 'none'}`,
        [...typed].join(', '),
        refused.every(({ what }) => typed.has(what.split(':')[0]!)),
      ),
      line(
        'control, the old order of replace under readded-id=skipped: rows lost while its checks were green',
        old.green ? old.lost : 0,
        '> 0',
        old.green && old.lost > 0,
      ),
    ];
  },
};
