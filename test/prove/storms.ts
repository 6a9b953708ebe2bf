import { createStack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { storm, type Storm, type Victim } from './support-storm.ts';

/** Kills of each process in one round of the proof (`--rounds` multiplies). */
const kills: Record<Victim, number> = { service: 100, worker: 100, temporal: 10 };

/** Kills of one run at most: a run that is killed for ever never ends. */
const perRun: Record<Victim, number> = { service: 12, worker: 8, temporal: 5 };

const sum = (storms: readonly Storm[], of: (each: Storm) => number): number => storms.reduce((total, each) => total + of(each), 0);

function judge(victim: Victim, wanted: number, storms: readonly Storm[]): Line[] {
  const whole = storms.filter(({ differs }) => differs === undefined).length;
  const total = (of: (each: Storm) => number): number => sum(storms, of);
  const name = `kill -9 of the ${victim}`;
  return [
    line(
      `${name} at drawn moments of an ingest of 200,000 rows`,
      `${total(({ killed }) => killed)} kills in ${storms.length} runs, ${total(({ busy }) => busy)} of them with calls under way or answered less than 1 s before`,
      `≥ ${wanted} kills`,
      total(({ killed }) => killed) >= wanted,
    ),
    line(
      `${name}: rows, ledger, tags as without a kill`,
      `${whole} of ${storms.length} runs${whole === storms.length ? '' : `; first other: ${storms.find(({ differs }) => differs)?.differs}`}`,
      'all',
      whole === storms.length,
    ),
    line(
      `${name}: effects repeated`,
      total(({ repeated }) => repeated),
      '0',
      total(({ repeated }) => repeated) === 0,
    ),
    line(
      `${name}: acknowledged writes that the service's journal does not know`,
      `${total(({ lost }) => lost)} of ${total(({ acknowledged }) => acknowledged)}`,
      '0, of more than none',
      total(({ lost }) => lost) === 0 && total(({ acknowledged }) => acknowledged) > 0,
    ),
    line(
      `${name}: second index jobs`,
      total(({ indexJobs }) => indexJobs) - storms.length,
      '0',
      storms.every(({ indexJobs }) => indexJobs === 1),
    ),
  ];
}

export const proof: Proof = {
  name: 'storms',
  sets: ['fire'],
  what: 'kill -9 of service, worker and Temporal server at drawn moments of an ingest: nothing twice, nothing lost',
  async run({ note, rounds, kept }) {
    await using bundle = await createBundle();
    const lines: Line[] = [];
    for (const victim of ['service', 'worker', 'temporal'] as const) {
      const wanted = kills[victim] * rounds;
      const storms: Storm[] = [];
      await using stack = await createStack({ bundle: bundle.path });
      while (sum(storms, ({ killed }) => killed) < wanted) {
        const seed = `${victim}-${storms.length}`;
        const left = wanted - sum(storms, ({ killed }) => killed);
        const made = await kept.round(seed, () => storm(stack, { victim, seed, most: Math.min(perRun[victim], left) }));
        note(
          `${seed}: ${made.killed} kills, ${made.seconds.toFixed(1)} s, repeated ${made.repeated}, harmless ${made.harmless}, lost ${made.lost}${made.differs ? `, DIFFERS: ${made.differs}` : ''}`,
        );
        storms.push(made);
      }
      lines.push(...judge(victim, wanted, storms));
    }

    await using blind = await createStack({ bundle: bundle.path, without: ['lookUp'] });
    const control = await kept.round('blind', () => storm(blind, { victim: 'worker', seed: 'blind', most: 3, without: ['lookUp'] }));
    lines.push(line('control, the same with reconcile switched off: effects repeated', control.repeated, '> 0', control.repeated > 0));
    return lines;
  },
};
