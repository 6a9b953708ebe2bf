import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { sameRows, shownUnlike, unlike, type Held } from './support-held-rows.ts';
import { outputOf, startText } from './support-run.ts';

/** What `--rounds 1` goes over, to see that it works, and the rows of every other size. */
const small = { rows: 2_000, rounds: 3 };
const fullRows = 100_000;

/** Of the rows so many are gone, changed and new in each round. */
const share = 0.01;

const pipeline = (deletes: string): string => `name: mirrored
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  rows:
    use: dataset.mirror
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }${deletes} }
`;

const capped = '';
const uncapped = ', deletes: { max: 100%, belowHalf: allow }';

type Rows = Map<string, number>;

/** The rows of the next round: the oldest are gone, those behind them have another value, and as many are new. */
function nextRows(rows: Held, round: number): Rows {
  const part = Math.floor(rows.size * share);
  const kept = [...rows].slice(part).map(([key, n], at): [string, number] => [key, at < part ? n + 1_000_000 : n]);
  // What was changed goes to the end, so that the next round changes and deletes others.
  const turned = [...kept.slice(part), ...kept.slice(0, part)];
  return new Map([...turned, ...Array.from({ length: part }, (_, at): [string, number] => [`r${round}-${at}`, at])]);
}

/** One dataset and the runs that mirror a table in it. */
async function createMirror(world: World, slug: string, rows: Held) {
  let files = 0;
  const run = async (source: Held, deletes: string) => {
    const text = JSON.stringify([...source].map(([key, n]) => ({ key, n })));
    const file = await world.write(`${slug}-${(files += 1)}.json`, text);
    const started = await startText(world, pipeline(deletes), { source: file, dataset: slug }, { accept: ['rows'] });
    return started.ended(1_800_000);
  };
  const project: string = outputOf(await run(rows, capped), 'dataset')['id'];
  const effects = async (): Promise<number> => (await world.control.journal(project)).rows.length;
  return {
    run,
    unlike: (source: Held) => unlike(world, project, source),
    journal: () => world.control.journal(project),
    /** Runs on a source that should be refused: how many effects it had all the same, and how it ended. */
    async refused(source: Held, deletes = capped): Promise<{ effects: number; error: string }> {
      const before = await effects();
      const { state, error } = await run(source, deletes);
      return { effects: (await effects()) - before, error: state === 'failed' ? error!.message : '' };
    },
  };
}

const cut = (rows: Held, to: number): Rows => new Map([...rows].slice(0, to));

export const proof: Proof = {
  name: 'mirror',
  sets: ['time'],
  rounds: 50,
  what: 'dataset.mirror over rounds of rows that are gone, changed and new: source and service are equal; half a source, or none, deletes nothing',
  async run({ note, rounds: asked }) {
    const { rows: size, rounds } = asked === 1 ? small : { rows: fullRows, rounds: asked };
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    let rows: Rows = new Map(Array.from({ length: size }, (_, at) => [`k${at}`, at]));
    const mirror = await createMirror(world, 'mirrored', rows);
    const lines: Line[] = [];

    let equal = 0;
    const part = Math.floor(size * share);
    let counted = 0;
    for (let round = 1; round <= rounds; round++) {
      const began = performance.now();
      rows = nextRows(rows, round);
      const { added, replaced, deleted } = outputOf(await mirror.run(rows, capped), 'rows');
      const found = await mirror.unlike(rows);
      equal += Number(sameRows(found));
      counted += Number([added, replaced, deleted].every((count) => count === part));
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      note(`round ${round}, ${seconds} s: added ${added}, replaced ${replaced}, deleted ${deleted}; ${shownUnlike(found)}`);
    }
    const of = `${size} rows, ${part} gone, ${part} changed, ${part} added a round`;
    lines.push(
      line(`rounds with source and service equal by id and value (${of})`, `${equal} of ${rounds}`, 'all', equal === rounds),
      line('rounds whose report says so many added, replaced and deleted', `${counted} of ${rounds}`, 'all', counted === rounds),
    );

    const half = cut(rows, size / 2);
    for (const [what, source, deletes, words] of [
      ['half of the source', half, capped, 'are gone at the source'],
      ['less than half, where all may be deleted', cut(half, size / 2 - 1), ', deletes: { max: 100% }', 'less than half'],
      ['an empty source, where everything is allowed', new Map<string, number>(), uncapped, 'no rows'],
    ] as const) {
      const { effects, error } = await mirror.refused(source, deletes);
      const found = await mirror.unlike(rows);
      lines.push(
        line(
          `${what}: effects, and what the dataset holds otherwise`,
          `${effects}; ${shownUnlike(found)}; ${error.slice(0, 100)}`,
          `refused ("${words}"), 0; nothing`,
          error.includes(words) && effects === 0 && sameRows(found),
        ),
      );
    }
    const { repeated } = await mirror.journal();
    lines.push(line('effects repeated, by the journal', repeated.length, '0', repeated.length === 0));

    const { deleted } = outputOf(await mirror.run(half, uncapped), 'rows');
    const left = await mirror.unlike(half);
    lines.push(
      line(
        'control, the half source without cap and without belowHalf: rows deleted',
        `${deleted}; ${shownUnlike(left)} of the half`,
        `${size / 2}`,
        deleted === size / 2 && sameRows(left),
      ),
    );
    return lines;
  },
};
