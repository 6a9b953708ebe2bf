import { operations } from '../../contracts/index.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { nameOf, prepareLane, rows, type Row } from './support-matrix-cells.ts';
import { matrixFaults, type MatrixFault } from './support-matrix-rules.ts';
import { effectOf, runCell, type CellOutcome } from './support-matrix.ts';

/** Each with a service and a worker of its own, so that a fault hits the run that it is meant for. */
const lanes = 3;

const sum = (outcomes: readonly CellOutcome[], of: (outcome: CellOutcome) => number): number =>
  outcomes.reduce((total, each) => total + of(each), 0);

export const proof: Proof = {
  name: 'retry-matrix',
  sets: ['short', 'fire', 'floor'],
  what: `${rows.length} operations under ${matrixFaults.length} faults, each through a pipeline: as their effect class declares; \`--only WORDS\`: the operations whose names hold them`,
  async run({ note, kept, short, only = '' }) {
    const chosen = rows
      .filter((row) => row.target.includes(only) && (!short || effectOf(row) === 'reconcile' || effectOf(row) === 'never'))
      .map((row): Chosen => ({ ...row, faults: short ? matrixFaults.filter(({ name }) => brief.includes(name)) : faultsOf(row) }));
    if (chosen.length === 0) throw new Error(`no operation of the matrix holds ${JSON.stringify(only)} in its name`);
    await using bundle = await createBundle();
    // What the matrix sends within a minute depends on how fast the machine is: a published limit would be a wait of its own.
    await using first = await createStack({ bundle: bundle.path, lifted: true });
    await using stacks = await more(lanes - 1, { bundle: bundle.path, temporal: first.address, lifted: true });
    const outcomes: CellOutcome[] = [];
    const queue = [...chosen];
    const started = performance.now();
    await Promise.all(
      [first, ...stacks.all].map(async (stack) => {
        const lane = await prepareLane(stack);
        for (let row = queue.shift(); row; row = queue.shift()) {
          const { faults } = row;
          const target = nameOf(row);
          // Lanes are made anew when a proof is continued: what is kept is kept by the operation.
          const made = await kept.round(short ? `${target} (short)` : target, () =>
            inTurn(faults, (fault, at) => runCell(lane, row, fault, at)),
          );
          outcomes.push(...made);
          const wrong = made.filter((each) => each.wrong.length > 0);
          note(
            `${target}: ${made.length - wrong.length} of ${made.length}, ${sum(made, ({ seconds }) => seconds).toFixed(0)} s${wrong.map((each) => `; ${each.fault}: ${each.wrong.join(', ')}`).join('')}`,
          );
        }
      }),
    );
    note(`${outcomes.length} cells in ${((performance.now() - started) / 1_000).toFixed(0)} s`);

    // A creation is made twice where nobody looks; a code that is used up, or a session that has ended, is not.
    const blind = await withoutLookUp(first, short ? chosen.filter((row) => effectOf(row) === 'reconcile').slice(0, 2) : chosen);
    return [...judged(outcomes, chosen), ...totals(outcomes, chosen), ...blind];
  },
};

/** What a gate has time for, of the operations that are looked up: a lost answer, and a wait. */
const brief = ['reset after', '429+RA'];

type Chosen = Row & { faults: readonly MatrixFault[] };

/** The faults of all operations, and those that only this one knows. */
const faultsOf = ({ further = [] }: Row): MatrixFault[] => [...matrixFaults, ...further.map(({ fault }) => fault)];

const cellsOf = (chosen: readonly Chosen[]): { target: string; fault: string }[] =>
  chosen.flatMap((row) => row.faults.map(({ name }) => ({ target: nameOf(row), fault: name })));

const judged = (outcomes: readonly CellOutcome[], chosen: readonly Chosen[]): Line[] =>
  [...new Set(cellsOf(chosen).map(({ fault }) => fault))].map((name) => {
    const wanted = cellsOf(chosen).filter(({ fault }) => fault === name).length;
    const cells = outcomes.filter(({ fault }) => fault === name);
    const wrong = cells.filter((each) => each.wrong.length > 0);
    return line(
      `${name}: as the effect class declares`,
      `${cells.length - wrong.length} of ${cells.length}${wrong.map((each) => `; ${each.target} (${each.effect}): ${each.wrong.join(', ')}`).join('')}`,
      `${wanted} of ${wanted}`,
      wrong.length === 0 && cells.length === wanted,
    );
  });

function totals(outcomes: readonly CellOutcome[], chosen: readonly Chosen[]): Line[] {
  const waited = outcomes.flatMap(({ waitedMs }) => waitedMs ?? []);
  const missing = Object.keys(operations).filter((name) => !rows.some(({ target }) => target === name));
  const cells = cellsOf(chosen).length;
  return [
    line('operations of the contracts that the matrix leaves out', missing.join(', ') || 'none', 'none', missing.length === 0),
    line(
      'faults ordered, fired exactly once',
      `${cells}, ${outcomes.filter(({ fired }) => fired === 1).length}`,
      'all',
      outcomes.filter(({ fired }) => fired === 1).length === cells,
    ),
    line(
      'effects repeated, by the journals',
      `${sum(outcomes, ({ repeated }) => repeated)}${named(outcomes)}`,
      '0',
      sum(outcomes, ({ repeated }) => repeated) === 0,
    ),
    line(
      'requests before their Retry-After',
      `${sum(outcomes, ({ early }) => early)}; shortest wait ${(Math.min(...waited) / 1_000).toFixed(2)} s of 2 s, longest ${(Math.max(...waited) / 1_000).toFixed(2)} s`,
      '0',
      sum(outcomes, ({ early }) => early) === 0,
    ),
  ];
}

/** The cells with a repeated effect. */
const named = (outcomes: readonly CellOutcome[]): string =>
  outcomes
    .filter(({ repeated }) => repeated > 0)
    .map(({ target, fault }) => `; ${target}, ${fault}`)
    .join('');

/** The control: what must not be repeated, with nothing looked up. */
async function withoutLookUp(stack: Stack, chosen: readonly Row[]): Promise<Line[]> {
  const unsure = matrixFaults.filter(({ name }) => ['500', 'reset after'].includes(name));
  const blindly = chosen.filter((row) => ['reconcile', 'never'].includes(effectOf(row)));
  // Of those that `--only` names none may be such.
  if (blindly.length === 0) return [];
  const lane = await prepareLane(stack, { without: ['lookUp'] });
  const outcomes: CellOutcome[] = [];
  for (const row of blindly) for (const fault of unsure) outcomes.push(await runCell(lane, row, fault, 100 + outcomes.length));
  const repeats = outcomes.filter(({ repeated }) => repeated > 0);
  return [
    line(
      `control, ${blindly.length} operations under ${unsure.map(({ name }) => name).join(' and ')} with nothing looked up: effects repeated`,
      `${sum(outcomes, ({ repeated }) => repeated)}${named(repeats)}`,
      '> 0',
      repeats.length > 0,
    ),
    ...blindly.map((row) => {
      const mine = outcomes.filter(({ target }) => target === nameOf(row));
      const wrong = mine.filter((each) => each.wrong.length > 0);
      return line(
        `control, ${nameOf(row)}: cells that the matrix finds wrong`,
        `${wrong.length} of ${mine.length}`,
        '> 0',
        wrong.length > 0,
      );
    }),
  ];
}

async function inTurn<T, R>(items: readonly T[], act: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const [at, item] of items.entries()) made.push(await act(item, at));
  return made;
}

async function more(count: number, options: Parameters<typeof createStack>[0]) {
  const all = await Promise.all(Array.from({ length: count }, () => createStack(options)));
  return {
    all,
    async [Symbol.asyncDispose]() {
      for (const stack of all) await stack[Symbol.asyncDispose]();
    },
  };
}
