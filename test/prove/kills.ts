import { createStack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { writeFlights } from './support-flights.ts';
import { round, type Kill, type Round } from './support-kill.ts';

const calls = [
  { step: 'dataset', operation: 'maps.projects.create' },
  { step: 'rows', operation: 'maps.data.addArrow', nth: 2 },
  { step: 'map', operation: 'maps.indices.create' },
  { step: 'far', operation: 'maps.query.select' },
  { step: 'tag', operation: 'maps.tags.update', nth: 2 },
] as const;

const ofWorker: Kill[] = calls.map((call) => ({ victim: 'worker', hold: 'after', ...call }));
const early: Kill = { victim: 'worker', hold: 'before', ...calls[0] };
const read: Kill = { victim: 'worker', hold: 'after', step: 'map', operation: 'maps.indices.progress' };
const ofService: Kill[] = calls.flatMap((call) => (['before', 'after'] as const).map((hold) => ({ victim: 'service', hold, ...call })));
const ofTemporal: Kill = { victim: 'temporal', hold: 'after', ...calls[1] };

/** What a gate has time for: an effect lost in the middle of a step, by each of two steps, and a service that dies with it. */
const briefly = [ofWorker[0]!, ofWorker[1]!, ofService[3]!];

const name = ({ victim, hold, operation }: Kill): string => `kill -9 of the ${victim}, ${operation} held ${hold} its effect`;

const judge = (kill: Kill, made: Round, calm: Round): Line => {
  const same = made.outcome !== undefined && JSON.stringify(made.outcome) === JSON.stringify(calm.outcome);
  const { firstCall, nextStep, repeated, harmless } = made;
  return line(
    name(kill),
    `${made.killed ? 'held' : 'NOT KILLED'}, ${same ? 'same result' : `result ${JSON.stringify(made.outcome ?? made.view.error)} instead of ${JSON.stringify(calm.outcome)}`}, repeated ${repeated}, harmless ${harmless}, first call after ${firstCall.toFixed(2)} s, next step ${nextStep.toFixed(2)} s later`,
    'held, same result, repeated 0',
    made.killed && same && repeated === 0,
  );
};

export const proof: Proof = {
  name: 'kills',
  sets: ['short', 'shape'],
  what: 'kill -9 of worker, service and Temporal server while a named call is held: nothing twice, nothing lost',
  async run({ note, rounds, short }) {
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const source = await writeFlights(stack.dir, 25_000);
    const calm = await round(stack, source);
    note(`undisturbed: ${JSON.stringify(calm.outcome)} in ${calm.seconds.toFixed(1)} s`);
    const lines: Line[] = [];
    for (let at = 0; at < rounds; at++) {
      for (const kill of short ? briefly : [...ofWorker, early, read, ...ofService, ofTemporal]) {
        const made = await round(stack, source, kill);
        const judged = judge(kill, made, calm);
        note(`${made.seconds.toFixed(1)} s ${judged.ok ? 'ok' : 'NOT OK'}: ${judged.what}: ${judged.figure}`);
        lines.push(judged);
      }
    }
    const { summary } = await stack.control.journal();
    lines.push(
      line(
        'journal of all rounds',
        `${summary.effects} effects, repeated ${summary.repeated}, harmless ${summary.harmless}`,
        'repeated 0',
        summary.repeated === 0,
      ),
    );

    await stack.worker.stop();
    await stack.worker.start(0, { without: ['lookUp'] });
    const blind: Round[] = [];
    const blindly = short ? ofWorker.slice(0, 2) : ofWorker;
    for (const kill of blindly) blind.push(await round(stack, source, kill, { without: ['lookUp'] }));
    const repeated = blind.map((each) => each.repeated);
    lines.push(
      line(
        'control, the same worker kills with reconcile switched off',
        `repeated ${blindly.map(({ operation }, at) => `${operation} ${repeated[at]}`).join(', ')}`,
        'all held, repeated > 0',
        blind.every(({ killed }) => killed) && repeated.some((count) => count > 0),
      ),
    );
    return lines;
  },
};
