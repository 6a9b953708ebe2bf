import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiError, ContractError } from '../../client/errors.ts';
import { idsOf, probeRangeEnds, probeSearchMatch, sampleOf, type ProbedMap } from '../../contracts/assumptions/probe-selection.ts';
import type { ReadingOf, Readings } from '../../contracts/assumptions/index.ts';
import type { Ask } from '../../contracts/endpoint.ts';
import { get as healthOf } from '../../contracts/maps/health.ts';
import { dataset as datasetOf } from '../../contracts/maps/projections.ts';
import { bySlug, datasetsOf, get, list } from '../../contracts/maps/projects.ts';
import { select, topk } from '../../contracts/maps/query.ts';
import { schemaColumns } from '../../child/schema-columns.ts';
import type { Found } from './found.ts';

/** Datasets looked through for a map. */
const mostDatasets = 20;

/** The readings that show by reads alone, on a map that is there. */
export async function readProbes(ask: Ask, organization: string): Promise<Found> {
  const readings: Partial<Readings> = await unknownSlug(ask, organization);
  const unknown: Found['unknown'] = {};
  readings['project-list'] = await projectList(ask, organization);
  const reads = await publicReads(ask);
  if (reads) readings['public-reads'] = reads;
  else unknown['public-reads'] = 'no dataset of the key is public';
  const health = await healthAnswer(ask);
  if (health) readings['health-answer'] = health;
  else unknown['health-answer'] = 'what answers there is no service of this API';
  const probed = await anyMap(ask);
  if (!probed) {
    for (const name of ['empty-all', 'range-ends', 'top-polarity', 'search-match', 'select-answer', 'topk-answer'] as const)
      unknown[name] = 'the key sees no map with points';
    return { readings, unknown };
  }
  readings['empty-all'] = await emptyAll(ask, probed);
  readings['top-polarity'] = await topPolarity(ask, probed);
  readings['select-answer'] = await selectAnswer(ask, probed);
  const ends = await probeRangeEnds(ask, probed);
  if (ends) readings['range-ends'] = ends;
  else unknown['range-ends'] = 'no row of the map has a whole number or a time';
  const match = await probeSearchMatch(ask, probed);
  if (match) readings['search-match'] = match;
  else unknown['search-match'] = 'no row of the map has a word to search for';
  const shape = await topkAnswer(ask, probed);
  if (shape) readings['topk-answer'] = shape;
  else unknown['topk-answer'] = 'the map has no vectors that a text is searched in';
  return { readings, unknown };
}

/** The contract leaves the body unread; a page of HTML is the answer of something else. */
async function healthAnswer(ask: Ask): Promise<ReadingOf<'health-answer'> | undefined> {
  try {
    const text = new TextDecoder().decode(await ask({ ...healthOf, answer: 'bytes', output: z.instanceof(Uint8Array) }, {}));
    if (text === '') return 'empty';
    return /^\s*[{[]/.test(text) ? 'json' : 'text';
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

const slugStatus: Readonly<Record<number, ReadingOf<'unknown-slug'>>> = { 400: 'bad-request', 403: 'forbidden', 404: 'not-found' };

async function unknownSlug(ask: Ask, organization_slug: string): Promise<Pick<Partial<Readings>, 'unknown-slug'>> {
  try {
    await ask(bySlug, { organization_slug, project_slug: `portolan-${randomUUID()}` });
    return {};
  } catch (error) {
    const reading = error instanceof ApiError ? slugStatus[error.status] : undefined;
    return reading ? { 'unknown-slug': reading } : {};
  }
}

/** Whatever the list leaves out, the pages of the organization show. */
async function projectList(ask: Ask, organization: string): Promise<ReadingOf<'project-list'>> {
  const listed = new Set((await ask(list, {})).projects.map(({ id }) => id));
  return (await datasetsOf(organization, ask)).every(({ id }) => listed.has(id)) ? 'whole' : 'first-page';
}

async function publicReads(ask: Ask): Promise<ReadingOf<'public-reads'> | undefined> {
  const { projects } = await ask(list, {});
  for (const { id } of projects.slice(0, mostDatasets)) {
    if (!(await ask(get, { project_id: id })).is_public) continue;
    try {
      await ask({ ...get, auth: false }, { project_id: id });
      return 'everybody';
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return 'keys';
      throw error;
    }
  }
  return undefined;
}

async function anyMap(ask: Ask): Promise<ProbedMap | undefined> {
  const { projects } = await ask(list, {});
  for (const { id } of projects.slice(0, mostDatasets)) {
    const project = await ask(get, { project_id: id });
    const map = project.maps.find(({ ready, projection_id }) => ready && projection_id)?.projection_id;
    if (!map || !project.schema) continue;
    const { dataset_id: dataset } = await ask(datasetOf, { map_id: map });
    const idField = project.unique_id_field ?? automaticIdField;
    const rows = await sampleOf(ask, { map, dataset, idField });
    if (rows.length > 0)
      return {
        map,
        dataset,
        idField,
        columns: new Map(schemaColumns(project.schema, idField).map(({ name, type }) => [name, type])),
        rows,
      };
  }
  return undefined;
}

async function emptyAll(ask: Ask, { map }: ProbedMap): Promise<ReadingOf<'empty-all'>> {
  try {
    return (await idsOf(ask, map, [])).length > 0 ? 'every' : 'none';
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return 'refused';
    throw error;
  }
}

/** No id is the empty text: such a list is empty, and its inversion is every point. */
async function topPolarity(ask: Ask, { map, idField }: ProbedMap): Promise<ReadingOf<'top-polarity'>> {
  const none = { method: 'category', field: idField, values: [''] } as const;
  return (await idsOf(ask, map, [{ ...none, values: [...none.values] }], false)).length > 0 ? 'honoured' : 'ignored';
}

async function selectAnswer(ask: Ask, { map, idField, rows }: ProbedMap): Promise<ReadingOf<'select-answer'>> {
  const one = { method: 'category' as const, field: idField, values: [String(rows[0]![idField])] };
  const answer = await ask(select, { projection_id: map, selection: { method: 'composition', conjunctor: 'ALL', filters: [one] } });
  const under = !Array.isArray(answer);
  const objects = typeof (Array.isArray(answer) ? answer : answer.data)[0] === 'object';
  return under ? (objects ? 'data-objects' : 'data') : objects ? 'objects' : 'ids';
}

async function topkAnswer(ask: Ask, { map, idField }: ProbedMap): Promise<ReadingOf<'topk-answer'> | undefined> {
  try {
    return Array.isArray(await ask(topk, { projection_id: map, k: 1, fields: [idField], query: 'map' })) ? 'list' : 'data';
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}
