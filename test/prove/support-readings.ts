import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { compile } from '../../pipelines/compile/compile.ts';
import { evaluateTree } from '../../pipelines/expressions/evaluate.ts';
import { parse } from '../../pipelines/file/parse.ts';
import type { Json } from '../../text/json.ts';
import { steps } from '../../pipelines/steps/table.ts';
import type { StepWorld } from '../activities/step-world.ts';

/** A row of the table; `at` is a time, `uses` and `score` may be null. */
type Word = { id: string; word: string; kind: string; uses: number | null; score: number | null; at: string; gloss: string; text: string };

/** `right`, the type of the error that refused it, or what is wrong although the run was green. */
export type Outcome = { job: string; is: 'right' | 'refused' | 'wrong'; what: string };

const ingest = readFileSync(new URL('../../pipelines/ingest.yaml', import.meta.url), 'utf8');

/** Rows that change, a tag that comes and goes, and a selection whose rows are deleted: what the ready-made file does not do. */
const change = `
name: change
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id }, onChange: replace }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text } }
outputs: { dataset: "\${{ steps.dataset.id }}", map: "\${{ steps.map.id }}" }
`;
const select = `
name: select
params: { map: { type: string } }
steps:
  every: { use: points.select, with: { map: "\${{ params.map }}" } }
  ends: { use: points.select, with: { map: "\${{ params.map }}", where: { range: uses, from: 10, to: 20 } } }
  open: { use: points.select, with: { map: "\${{ params.map }}", where: { range: score, from: 1.5 } } }
  times: { use: points.select, with: { map: "\${{ params.map }}", where: { range: at, from: 2024-01-10T00:00:00Z, to: 2024-01-12T00:00:00Z } } }
  one: { use: points.select, with: { map: "\${{ params.map }}", where: { category: uses, in: [11, "12"] } } }
  neither: { use: points.select, with: { map: "\${{ params.map }}", where: { not: { any: [{ category: kind, in: [person] }, { category: kind, in: [plant] }] } } } }
outputs:
  every: "\${{ steps.every.points }}"
  ends: "\${{ steps.ends.points }}"
  open: "\${{ steps.open.points }}"
  times: "\${{ steps.times.points }}"
  one: "\${{ steps.one.points }}"
  neither: "\${{ steps.neither.points }}"
`;
const single = (name: string, where: string): string => `
name: ${name}
params: { map: { type: string } }
steps:
  found: { use: points.select, with: { map: "\${{ params.map }}", where: ${where} } }
outputs: { found: "\${{ steps.found.points }}" }
`;
const nulls = single('nulls', '{ not: { range: uses, from: 10 } }');
const search = single('search', '{ search: text, for: harb }');
const tag = `
name: tag
params: { map: { type: string } }
steps:
  some: { use: points.select, with: { map: "\${{ params.map }}", where: { category: kind, in: [animal] } } }
  seen: { use: points.tag, with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", add: seen } }
  again: { use: points.tag, needs: [seen], with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", add: seen, again: true } }
  never: { use: points.tag, with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", remove: unheard } }
  kept: { use: points.tag, with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", add: gone } }
  gone: { use: points.tag, needs: [kept], with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", remove: gone } }
outputs: { seen: "\${{ steps.again.count }}", missing: "\${{ steps.again.missing }}" }
`;
const remove = `
name: remove
params: { map: { type: string }, dataset: { type: string } }
steps:
  old: { use: points.select, with: { map: "\${{ params.map }}", where: { range: uses, to: 9 } } }
  ok: { use: gate.approve, with: { show: "\${{ steps.old.count }}" } }
  delete: { use: data.delete, needs: [ok], with: { dataset: "\${{ params.dataset }}", points: "\${{ steps.old.points }}" } }
  update: { use: index.update, needs: [delete], with: { dataset: "\${{ params.dataset }}" } }
  left: { use: points.select, needs: [update], with: { map: "\${{ params.map }}" } }
outputs: { left: "\${{ steps.left.points }}", rows: "\${{ steps.update.rows }}" }
`;

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

type Ran = { outputs: any; ids(list: unknown): Promise<string[]> };

/** Runs a pipeline text step by step, as the interpreter does, without a Temporal server between. */
async function run(world: StepWorld, text: string, params: Record<string, string>): Promise<Ran> {
  const compiled = compile(parse(text), { steps, ownSteps: [], baseDir: world.dir, connection: 'here', params });
  if ('findings' in compiled) throw new Error(`the file of the proof: ${compiled.findings.map(({ message }) => message).join('; ')}`);
  const { plan } = compiled;
  const running = world.newRun();
  const done: Record<string, Json> = {};
  const scope = () => ({ params: plan.params, steps: done, run: { id: running.id, pipeline: plan.pipeline } });
  for (const step of plan.steps) {
    if (step.kind === 'gate') continue;
    const options = { id: step.id, approved: true as const, ...(step.tolerate ? { tolerate: step.tolerate } : {}) };
    done[step.id] = (await running.step(step.use, evaluateTree(step.with, scope()), options)).output as Json;
  }
  return {
    outputs: evaluateTree(plan.outputs, scope()),
    async ids(list) {
      const { uri, count } = list as { uri: string; count: number };
      return (await running.store.readIds(uri, 0, count)).toSorted();
    },
  };
}

/** Every job under these readings; the outcome of each, held against what the service holds, read raw. */
export async function jobsUnder(world: StepWorld, readings: Partial<Readings>, slug: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  // What was found of a service under other readings is of another service.
  await rm(join(world.dir, '.portolan', 'runs', 'known'), { recursive: true, force: true });
  /** `run` may be refused; what `check` finds wrong was green. */
  const job = async <T>(name: string, act: () => Promise<T>, check: (value: T) => Promise<string | undefined>): Promise<T | undefined> => {
    await world.control.assume(readings);
    try {
      const value = await act();
      await world.control.assume();
      const wrong = await check(value);
      outcomes.push({ job: name, is: wrong === undefined ? 'right' : 'wrong', what: wrong ?? '' });
      return value;
    } catch (error) {
      if (!(error instanceof ApplicationFailure && error.type)) throw error;
      outcomes.push({ job: name, is: 'refused', what: `${error.type}: ${error.message}` });
      return undefined;
    } finally {
      await world.control.assume();
    }
  };
  const same = (what: string, found: unknown, wanted: unknown): string | undefined =>
    JSON.stringify(found) === JSON.stringify(wanted) ? undefined : `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;
  const first = (...all: (string | undefined)[]): string | undefined => all.find((each) => each !== undefined);

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
    async () => run(world, ingest, { source: await world.table(words), dataset: slug }),
    async ({ outputs }) =>
      first(await holds(outputs.dataset, words), same('tagged', await tagged(outputs.map, 'familiar'), words.filter(familiar).length)),
  );
  if (ready) {
    const next = words.map((word, at) => (at % 9 === 0 ? { ...word, text: `changed ${at}` } : word)).concat(wordsOf(63).slice(60));
    await job(
      'ingest of changed rows',
      async () => run(world, ingest, { source: await world.table(next), dataset: slug }),
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
    async () => run(world, change, { source: await world.table(words), dataset: `${slug}-all` }),
    async ({ outputs }) => holds(outputs.dataset, words),
  );
  if (!made) return outcomes;
  const { dataset, map } = made.outputs as { dataset: string; map: string };
  await job(
    'select',
    () => run(world, select, { map }),
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
    () => run(world, nulls, { map }),
    found(({ uses }) => uses === null || uses < 10),
  );
  await job(
    'search',
    () => run(world, search, { map }),
    found(({ text }) => text.includes('harb')),
  );
  await job(
    'tag and untag',
    () => run(world, tag, { map }),
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
    async () => run(world, change, { source: await world.table(changed), dataset: `${slug}-all` }),
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
  if (!replaced) return outcomes;
  const left = changed.filter(({ uses }) => uses === null || uses > 9);
  await job(
    'select and delete',
    () => run(world, remove, { map, dataset }),
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
