import type { Readings } from '../../contracts/assumptions/index.ts';
import { literal } from '../../text/sql.ts';
import { queryFiles } from '../../store/columnar.ts';
import type { StepWorld } from '../activities/step-world.ts';
import * as files from './support-readings-files.ts';
import { first, jobsOf, run, same, type Outcome, type Ran } from './support-readings-jobs.ts';
import { createProject } from '../service/world.ts';

/** A row of the table; `at` is a time, `uses` and `score` may be null. */
type Word = { id: string; word: string; kind: string; uses: number | null; score: number | null; at: string; gloss: string; text: string };

const kinds = ['animal', 'person', 'plant'];
const wordsOf = (count: number): Word[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `w${at}`,
    word: `word ${at}`,
    kind: kinds[at % 3]!,
    uses: at % 7 === 6 ? null : at,
    score: at % 5 === 4 ? null : at / 10,
    at: new Date(Date.UTC(2024, 0, 1 + at)).toISOString(),
    gloss: `gloss ${at}`,
    text: at % 4 === 0 ? `harbour number ${at}` : `kitchen number ${at}`,
  }));

/** Every job under these readings; the outcome of each, held against what the service holds, read raw. */
export async function jobsUnder(world: StepWorld, readings: Partial<Readings>, slug: string): Promise<Outcome[]> {
  const { outcomes, job, rightOrRefused, impossible } = await jobsOf(world, readings);
  const holds = async (dataset: string, wanted: Word[]): Promise<string | undefined> => {
    const { body: project } = await world.api.get(`/v1/project/${dataset}`);
    const { body } = await world.api.post('/v1/project/data/get', { project_id: dataset, datum_ids: wanted.map(({ id }) => id) });
    return first(
      same('rows', project.total_datums_in_project, wanted.length),
      same(
        'texts',
        body.datums?.map((row: Word) => row.text) ?? body,
        wanted.map(({ text }) => text),
      ),
    );
  };
  const onMap = async (map: string): Promise<string[]> => {
    const every = { method: 'composition', conjunctor: 'ALL', filters: [] };
    return ((await world.api.post('/v1/query', { projection_id: map, selection: every })).body as string[]).toSorted();
  };
  const tagged = async (map: string, name: string): Promise<number> =>
    (await world.api.get(`/pages/maps/${map}`)).body.tags.find((each: { name: string }) => each.name === name)?.count ?? 0;
  const idsWhere = (words: Word[], test: (word: Word) => boolean): string[] =>
    words
      .filter(test)
      .map(({ id }) => id)
      .toSorted();

  const words = wordsOf(60);
  const familiar = (word: Word): boolean => word.uses !== null && word.uses >= 10 && word.kind !== 'person';
  const ready = await job(
    'ingest',
    async () => run(world, files.ingest, { source: await world.table(words), dataset: slug }),
    async ({ outputs }) =>
      first(await holds(outputs.dataset, words), same('tagged', await tagged(outputs.map, 'familiar'), words.filter(familiar).length)),
  );
  if (ready) {
    const next = words.map((word, at) => (at % 9 === 0 ? { ...word, text: `changed ${at}` } : word)).concat(wordsOf(63).slice(60));
    await job(
      'ingest of changed rows',
      async () => run(world, files.ingest, { source: await world.table(next), dataset: slug }),
      async ({ outputs }) =>
        first(
          await holds(outputs.dataset, next),
          same(
            'points',
            await onMap(outputs.map),
            idsWhere(next, () => true),
          ),
        ),
    );
  }
  const made = await job(
    'load',
    async () => {
      // Sent again: what the service makes of rows that it knows must not matter.
      await world.control.fault('maps.data.addArrow', 1, { lose: 'answer' });
      return run(world, files.change, { source: await world.table(words), dataset: `${slug}-all` });
    },
    async ({ outputs }) => holds(outputs.dataset, words),
  );
  if (!made) return outcomes;
  const { dataset, map } = made.outputs as { dataset: string; map: string };
  await job(
    'select',
    () => run(world, files.select, { map }),
    async ({ outputs, ids }) =>
      first(
        same(
          'every',
          await ids(outputs.every),
          idsWhere(words, () => true),
        ),
        same(
          'ends',
          await ids(outputs.ends),
          idsWhere(words, ({ uses }) => uses !== null && uses >= 10 && uses <= 20),
        ),
        same(
          'open',
          await ids(outputs.open),
          idsWhere(words, ({ score }) => score !== null && score >= 1.5),
        ),
        same('times', await ids(outputs.times), ['w10', 'w11', 'w9']),
        same('one', await ids(outputs.one), ['w11', 'w12']),
        same(
          'neither',
          await ids(outputs.neither),
          idsWhere(words, ({ kind }) => kind === 'animal'),
        ),
      ),
  );
  const found =
    (test: (word: Word) => boolean) =>
    async ({ outputs, ids }: Ran) =>
      same('found', await ids(outputs.found), idsWhere(words, test));
  await job(
    'not, with nulls',
    () => run(world, files.nulls, { map }),
    found(({ uses }) => uses === null || uses < 10),
  );
  await job(
    'neighbours',
    () => run(world, files.neighbors, { map }),
    async ({ outputs }) => {
      const pages = literal(`${new URL(outputs.pairs).pathname}/*.parquet`);
      const near = await queryFiles<{ point: string; count: number }>(
        `select point, (count(*) filter (neighbor <> point))::INT as count from read_parquet(${pages}) group by point`,
      );
      return same(
        'neighbours',
        near.map(({ count }) => count),
        words.map(() => 3),
      );
    },
  );
  await job(
    'search',
    () => run(world, files.search, { map }),
    found(({ text }) => text.includes('harb')),
  );
  await job(
    'tag and untag',
    () => run(world, files.tag, { map }),
    async ({ outputs }) =>
      first(
        same('counted', [outputs.seen, outputs.missing], [20, 0]),
        same('seen', await tagged(map, 'seen'), 20),
        same('gone', await tagged(map, 'gone'), 0),
      ),
  );
  const changed = words.map((word, at) => (at % 8 === 0 ? { ...word, text: `other ${at}` } : word));
  const replaced = await job(
    'replace',
    async () => {
      // One that is refused before it adds anything loses no answer.
      await world.control.faultIfCalled('maps.data.addArrow', 1, { lose: 'answer' });
      return run(world, files.change, { source: await world.table(changed), dataset: `${slug}-all` });
    },
    async () =>
      first(
        await holds(dataset, changed),
        same(
          'points',
          await onMap(map),
          idsWhere(changed, () => true),
        ),
      ),
  );
  await job(
    'dataset whose creation is answered to nobody',
    async () => {
      await world.control.fault('maps.projects.create', 1, { lose: 'answer' });
      const input = { organization_id: world.organization.organization_id, project_name: `${slug} lost` };
      return world.newRun().step('api.call', { operation: 'maps.projects.create', input });
    },
    async () => {
      const { projects } = (await world.api.get('/v1/project/')).body;
      return same('datasets', projects.filter((each: { project_name: string }) => each.project_name === `${slug} lost`).length, 1);
    },
  );
  const { project_id: uploaded } = await createProject(world, `${slug}-file`);
  const file = await job(
    'upload',
    async () => {
      // Its first URL has expired: the rest goes by those of another upload.
      await world.control.fault('maps.uploads.part', 1, { expired: true });
      return run(world, files.upload, { source: await world.table(words), dataset: uploaded });
    },
    async ({ outputs }) => first(same('added', outputs, { added: 60, present: 0 }), await holds(uploaded, words)),
  );
  if (file) {
    const more = wordsOf(70);
    await job(
      'upload of known and new rows',
      async () => {
        // Its answer is lost: ended once more, by whatever the service makes of that.
        await world.control.fault('maps.uploads.complete', 1, { lose: 'answer' });
        return run(world, files.upload, { source: await world.table(more), dataset: uploaded });
      },
      async ({ outputs }) => first(same('added', outputs, { added: 10, present: 60 }), await holds(uploaded, more)),
    );
    const [word] = wordsOf(1);
    const inEmoji = { ...word!, id: '\u{1F44D}'.repeat(12) };
    // Of a job that was refused the file may have been taken or not, but never a part of it.
    const taken = (await holds(uploaded, more)) === undefined ? more : words;
    await job(
      'upload of an id of emoji',
      async () => run(world, files.upload, { source: await world.table([inEmoji]), dataset: uploaded }),
      async ({ outputs }) => first(same('added', outputs, { added: 1, present: 0 }), await holds(uploaded, [...taken, inEmoji])),
    );
    await job(
      'map without vectors',
      () => run(world, files.plain, { dataset: uploaded }),
      async ({ outputs }) =>
        same('points', (await onMap(outputs.map)).length, (await world.api.get(`/v1/project/${uploaded}`)).body.total_datums_in_project),
    );
    await impossible('build with a model that is not there', () => run(world, files.unbuildable, { dataset: uploaded }));
    await rightOrRefused(
      'upload of rows whose deletion is not committed',
      async () => {
        const deletion = world.newRun();
        const points = await deletion.store.writeIds('old', [more.slice(0, 8).map(({ id }) => id)]);
        await deletion.step('data.delete', { dataset: uploaded, points }, { approved: true });
        await run(world, files.upload, { source: await world.table(more), dataset: uploaded });
        await world.newRun().step('index.update', { dataset: uploaded });
      },
      async () => holds(uploaded, [...more, inEmoji]),
    );
  }
  if (!replaced) return outcomes;
  const left = changed.filter(({ uses }) => uses === null || uses > 9);
  await job(
    'select and delete',
    () => run(world, files.remove, { map, dataset }),
    async ({ outputs, ids }) =>
      first(
        await holds(dataset, left),
        same(
          'left',
          await ids(outputs.left),
          idsWhere(left, () => true),
        ),
        same(
          'points',
          await onMap(map),
          idsWhere(left, () => true),
        ),
      ),
  );
  return outcomes;
}
