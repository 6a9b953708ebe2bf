import { beforeAll, expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { giveSays, saidIn } from './support-says.ts';
import { useWorld } from './support.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const said = async (name: string): Promise<string> => (await saidIn(world, name)).trim();

const says = (word: string): string => `{ use: acme.says, with: { word: ${word}, file: "\${{ params.file }}" } }`;

/** Two steps, of which the first one is undone by a word that an expression makes. */
const twice = (word: string, name = 'mended', one = 'one'): string => `name: ${name}
params: { file: { type: string }, tone: { type: string, default: "-" } }
outputs: { tone: "\${{ params.tone }}" }
steps:
  ${one}: { use: acme.says, with: { word: one, file: "\${{ params.file }}" }, undo: ${says(word)} }
  two: { use: acme.says, needs: [${one}], with: { word: two, file: "\${{ params.file }}" }, undo: ${says('-two')} }
`;
/** There is no second one. */
const wrong = '"${{ [steps.one.word][1] }}"';

test('a mistake in an undo is corrected in the file, and what ran stays as it was', async () => {
  const path = await world.write('pipelines/mended.yaml', twice(wrong));
  const run = await world.startFile(path, { file: 'mended.txt', tone: 'not-' });
  await world.ended(run);
  expect((await world.portolan(['undo', run, '--json'])).code).toBe(1);
  expect(await said('mended.txt')).toBe('one two -two');
  expect((await world.portolan(['why', `${run}.undo`])).out).toContain(`then: portolan undo ${run} --file pipelines/mended.yaml`);

  // The parameters are those of the run; a step that is new was not done.
  const more = `  three: { use: acme.says, needs: [two], with: { word: three, file: "\${{ params.file }}" }, undo: ${says('-three')} }\n`;
  await world.write('pipelines/mended.yaml', twice('"${{ params.tone + steps.one.word }}"') + more);
  const undone = await world.portolan(['undo', run, '--file', 'pipelines/mended.yaml', '--json']);
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect(await said('mended.txt')).toBe('one two -two not-one');
});

test('a file with another undo than its pipeline can have, or of another pipeline, is refused', async () => {
  const run = await world.startFile(await world.write('pipelines/sound.yaml', twice('-one')), { file: 'refused.txt' });
  await world.ended(run);
  const refused = async (text: string): Promise<string> => {
    const path = await world.pipeline(text);
    const { code, err } = await world.portolan(['undo', run, '--file', path, '--detach']);
    expect(code).toBe(2);
    return err;
  };
  expect(await refused(twice('-one', 'other'))).toContain(`is the pipeline other; run ${run} is of mended`);
  expect(await refused(twice('-one', 'mended', 'uno'))).toContain(`run ${run} has done 'one', which is not here`);
  const another = twice('-one').replace(/two: .*/, 'two: { use: api.call, with: { operation: maps.projects.list } }\nconnection: local');
  expect(await refused(another)).toContain(`run ${run} has done 'two' by acme.says, which is api.call here`);
  expect(await refused(twice('"${{ steps.two.word }}"'))).toContain("'one' does not stand on 'two'");
  const rows = '{ forEach: { rows: nowhere.csv, key: word, as: row }, steps: { back: { use: acme.says, with: { word: a, file: b } } } }';
  expect(await refused(twice('-one').replace(says('-one'), rows))).toMatch(/\.yaml:\d+:\d+ +no-such-file +there is no /);
  expect(await said('refused.txt')).toBe('one two');
});

test('what a gate approved of an undo counts while it is the same', async () => {
  const file = (when: string): string => `name: gated
params: { dataset: { type: slug } }
steps:
  ask: { use: gate.approve, with: { approves: [undo_dataset] } }
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
    undo: { use: api.call, when: ${when}, with: { operation: maps.projects.remove, input: { project_id: "\${{ steps.dataset.id }}" } } }
`;
  const run = await world.start(file('"${{ steps.dataset.created }}"'), { dataset: newSlug('gated') });
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['approve', run, 'ask']);
  await world.ended(run);
  const changed = await world.portolan(['undo', run, '--file', await world.pipeline(file('"${{ true }}"'))]);
  expect([changed.code, changed.err]).toEqual([2, expect.stringContaining('--accept undo_dataset')]);
  const same = await world.portolan(['undo', run, '--file', await world.pipeline(file('"${{ steps.dataset.created }}"')), '--json']);
  expect([same.code, same.err]).toEqual([0, '']);
});
