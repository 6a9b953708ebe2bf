import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stack } from '../support/stack.ts';
import { outputOf, type StartedRun } from './support-run.ts';
import type { RunView } from '../../workflows/messages.ts';

/** Real records: flights of vega-datasets. */
export const flightsFile = (size: '2k' | '200k'): string =>
  fileURLToPath(new URL(`../../node_modules/vega-datasets/data/flights-${size}.json`, import.meta.url));

/** Writes the first of the 200,000 flights to a folder; returns the path. More than 10,000 rows take more than one addition. */
export async function writeFlights(dir: string, rows: number): Promise<string> {
  const path = join(dir, `flights-${rows}.json`);
  const all = JSON.parse(await readFile(flightsFile('200k'), 'utf8')) as unknown[];
  await writeFile(path, JSON.stringify(all.slice(0, rows)));
  return path;
}

/** The five steps on flights, mapped without text. */
export const flights = `
name: flights
params:
  source: { type: path }
  dataset: { type: slug }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true } }
  map:
    use: index.build
    with: { dataset: "\${{ steps.rows.dataset }}" }
  far:
    use: points.select
    with: { map: "\${{ steps.map.id }}", where: { range: distance, from: 400 } }
  tag:
    use: points.tag
    with: { map: "\${{ steps.map.id }}", points: "\${{ steps.far.points }}", add: far }
outputs: { dataset: "\${{ steps.dataset.id }}" }
`;

/** The same with another condition on the distance, and another tag. */
export const flightsWhere = (tag: string, { from, to }: { from: number; to: number }): string =>
  flights.replace('range: distance, from: 400', `range: distance, from: ${from}, to: ${to}`).replace('add: far', `add: ${tag}`);

export const hashOf = (ids: readonly string[]): string =>
  createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex')
    .slice(0, 12);

/** What a run left, by the service's own count and by the run's ledger. */
export type Outcome = {
  datasets: number;
  indices: number;
  rows: number;
  added: number;
  addedIds: string;
  tagged: number;
  taggedIds: string;
  reallyTagged: number;
};

const perCall = 10_000;

/**
 * Reads the outcome of a run. The API has no read for the points of a tag: that its ids are tagged and no others are is
 * shown by how many points a last removal of the tag from every row changes.
 */
export async function outcomeOf(stack: Stack, run: StartedRun, view: RunView, slug: string): Promise<Outcome> {
  const dataset = outputOf(view, 'dataset')['id'] as string;
  const map = outputOf(view, 'map')['id'] as string;
  const [{ projects }, project, added, tagged] = await Promise.all([
    stack.api.projects.list({}),
    stack.api.projects.get({ project_id: dataset }),
    run.store.readItems({ step: 'rows', status: 'added' }),
    run.store.readItems({ step: 'tag', status: 'tagged' }),
  ]);
  const all = added.map(({ item }) => item);
  const ids = tagged.map(({ item }) => item);
  const before = await changedBy(stack, map, 'add', ids);
  const removed = await changedBy(stack, map, 'remove', all);
  return {
    datasets: projects.filter((each) => each.slug === slug || each.project_name === slug).length,
    indices: project.atlas_indices.length,
    rows: project.total_datums_in_project,
    added: all.length,
    addedIds: hashOf(all),
    tagged: ids.length,
    taggedIds: hashOf(ids),
    // Ids of the ledger that were not tagged before count as missing.
    reallyTagged: removed - before,
  };
}

/** Points whose tag a call changed, by the service's journal. */
async function changedBy(stack: Stack, map: string, operation: 'add' | 'remove', ids: readonly string[]): Promise<number> {
  const from = Date.now() - 1;
  for (let at = 0; at < ids.length; at += perCall) {
    await stack.api.tags.update({ projection_id: map, tag_name: 'far', ids: ids.slice(at, at + perCall), operation, id_field: 'id' });
  }
  const { rows } = await stack.control.journal();
  return rows.filter((row) => row.at >= from && row.subject === `tag/${map}/far`).reduce((sum, { changed }) => sum + changed, 0);
}
