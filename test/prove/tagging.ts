import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorld, type World } from '../support/world.ts';
import { taggedRows } from '../support/tagged-rows.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { outputOf, startText } from './support-run.ts';

/** Points of a round; fifty are a million. */
const perRound = 20_000;

/** Every third point has the tag before. */
const hadBefore = 3;

/** Every seventh has it by hand: no run has set it there. */
const byHand = 7;

const load = `name: points
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.load, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
`;

const tagging = (where: string, undo: string, more = ''): string => `name: tagged
params: { map: { type: string } }
steps:
  points: { use: points.select, with: { map: "\${{ params.map }}"${where} } }
  tag:
    use: points.tag
    with: { map: "\${{ params.map }}", points: "\${{ steps.points.points }}", add: many${more} }
    undo: ${undo}
`;

const everyPoint = '';
const before = ', where: { range: third, from: 0, to: 0 }';
const restore = '{ use: points.restore, with: { record: "${{ steps.tag.record }}" } }';
const naive = '{ use: points.tag, with: { map: "${{ params.map }}", points: "${{ steps.points.points }}", remove: many } }';

async function createPoints(world: World, rows: number): Promise<string> {
  const lines = ['id,third,x,y'];
  const embedded = Array.from({ length: rows }, (_, at) => `p${at},${at % hadBefore},${at % 1_000},${Math.floor(at / 1_000)}`);
  const file = join(world.dir, 'points.csv');
  await writeFile(file, [...lines, ...embedded].join('\n'));
  const text = load.replace(
    'id: { column: id }',
    'id: { column: id }, columns: { third: third, _embeddings: "[x::float, y::float, (x % 7)::float, (y % 5)::float]" }',
  );
  const view = await (await startText(world, text, { source: file, dataset: 'many-points' })).ended(3_600_000);
  return outputOf(view, 'map')['id'] as string;
}

/** Tags points as somebody does who has no run. */
async function tagByHand(world: World, map: string, ids: readonly string[]): Promise<void> {
  const perCall = 10_000;
  for (let from = 0; from < ids.length; from += perCall) {
    const asked = { projection_id: map, tag_name: 'many', ids: ids.slice(from, from + perCall), operation: 'add', id_field: 'id' };
    const { code, err } = await world.portolan(['call', 'maps.tags.update', '--connection', 'local', '--json', JSON.stringify(asked)]);
    if (code !== 0) throw new Error(`a tag by hand: ${err}`);
  }
}

export const proof: Proof = {
  name: 'tagging',
  sets: ['maps'],
  rounds: 50,
  what: 'a tag given to many points in one run, or taken from them, and taken back by one undo: the points have it as before, of other runs and by hand; a second undo does nothing',
  async run({ note, rounds }) {
    const rows = perRound * rounds;
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const began = performance.now();
    const map = await createPoints(world, rows);
    const tagged = async (): Promise<ReadonlySet<number>> => new Set((await taggedRows(world.url, map))['many'] ?? []);
    const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
    note(`${rows} points on a map in ${seconds(began)}`);

    const run = async (text: string) => {
      const at = performance.now();
      const started = await startText(world, text, { map });
      const { count, changed } = outputOf(await started.ended(3_600_000), 'tag');
      return { id: started.id, count, changed, took: seconds(at) };
    };
    const undo = async (id: string) => {
      const at = performance.now();
      const { value, calls } = await world.callsOf(() => world.portolan(['undo', id]));
      return { code: value.code, writes: calls.filter((each) => each === 'maps.tags.update').length, took: seconds(at) };
    };

    await run(tagging(before, restore));
    const mine = await tagged();
    await tagByHand(
      world,
      map,
      Array.from({ length: Math.ceil(rows / byHand) }, (_, at) => `p${at * byHand}`),
    );
    // By runs and by hand: a point may have it of both.
    const thirds = await tagged();
    const others = thirds.difference(mine);
    const dry = await world.effectsOf(() => run(tagging(everyPoint, restore, ', dryRun: true')));
    const all = await run(tagging(everyPoint, restore));
    const after = await tagged();
    note(`tagged in ${all.took}, of which the dry run took ${dry.value.took}`);
    const back = await undo(all.id);
    const left = await tagged();
    const again = await undo(all.id);

    // The points that were tagged by hand alone lose the tag by a run, and have it again after its undo.
    const removal = await run(tagging(everyPoint, restore).replace('add: many', 'remove: many'));
    const none = await tagged();
    const given = await undo(removal.id);
    const returned = await tagged();
    const { repeated } = await world.control.journal();

    await undo((await run(tagging(everyPoint, naive, ', again: true'))).id);
    const naiveLeft = await tagged();
    const lost = [...thirds].filter((each) => !naiveLeft.has(each));
    return [
      line(
        'points tagged in one run, of which had it before, of which by hand alone',
        `${after.size}, ${thirds.size}, ${others.size} (${all.took})`,
        `${rows}, a third and every seventh`,
        after.size === rows && all.count === rows && all.changed === rows - thirds.size && others.size > rows / (2 * byHand),
      ),
      line(
        'what the dry run counted and sent',
        `${dry.value.count} points, ${dry.value.changed} to change, ${dry.effects.length} effects`,
        `${rows}, ${rows - thirds.size}, 0`,
        dry.value.count === rows && dry.value.changed === rows - thirds.size && dry.effects.length === 0,
      ),
      line(
        'after the undo: points that have the tag otherwise than before',
        `${left.symmetricDifference(thirds).size} (${back.took}, ${back.writes} calls)`,
        '0',
        back.code === 0 && left.symmetricDifference(thirds).size === 0,
      ),
      line('calls that write of a second undo', again.writes, '0', again.code === 0 && again.writes === 0),
      line(
        'a run that removes it from every point: points changed, left with the tag, and otherwise than before after its undo',
        `${removal.changed}, ${none.size}, ${returned.symmetricDifference(thirds).size} (${removal.took}, ${given.took})`,
        `${thirds.size}, 0, 0`,
        removal.changed === thirds.size && none.size === 0 && given.code === 0 && returned.symmetricDifference(thirds).size === 0,
      ),
      line('effects repeated, by the journal', repeated.length, '0', repeated.length === 0),
      line(
        'control, an undo that removes the tag from all points of its run: points that lost what they had before',
        lost.length,
        `${thirds.size}`,
        lost.length === thirds.size,
      ),
    ];
  },
};
