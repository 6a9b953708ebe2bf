import { changedAt } from '../../contracts/maps/coverage.ts';
import { Inconclusive } from '../../errors/classes.ts';
import { untilSeen } from '../frame/until-seen.ts';
import type { StepContext } from '../frame/context.ts';
import type { Project } from '../../contracts/maps/coverage.ts';

/** The dataset as soon as it is as it should be; counts may lag behind writes. */
export const awaitDataset = (context: StepContext, dataset: string, holds: (project: Project) => boolean): Promise<Project> =>
  untilSeen(context, () => context.maps.projects.get({ project_id: dataset }, { signal: context.signal }), holds);

/** Was nothing ever added to it? A count of 0 alone may be late, and rows of an earlier run be there. */
export const isNew = ({ schema, total_datums_in_project: rows }: Project): boolean => rows === 0 && !schema;

/**
 * The dataset before anything is written to it, with a count that an earlier write can no longer change: where the last change is
 * younger than `lagMs` by this machine's clock, the count is read until reads may not lag behind that change any more.
 */
export async function settledDataset(context: StepContext, dataset: string): Promise<Project> {
  const { signal } = context;
  const read = (): Promise<Project> => context.maps.projects.get({ project_id: dataset }, { signal });
  const project = await read();
  if (isNew(project)) return project;
  const changed = changedAt(await context.maps.data.lastModified({ dataset_id: dataset }, { signal }));
  if (changed === null || Date.now() - changed > context.connection('maps').lagMs) return project;
  context.progress({ done: 0, unit: 'rows', note: 'waiting until the count of what was written just before is sure' });
  return untilSeen(context, read, () => false);
}

const fileOf = (dataset: string): string => `expected/${dataset}.json`;

/** Writes down how many rows this run has seen a dataset to hold; null: it is about to change in a way that is not counted. */
export const expectRows = (context: StepContext, dataset: string, rows: number | null): Promise<void> =>
  context.store.writeJson(fileOf(dataset), { rows });

/**
 * Holds a dataset after an update against what this run has seen it to hold. A deletion that was delivered late, or a second
 * time, takes rows that were added after it, and shows in nothing but the count.
 */
export async function checkExpectedRows(context: StepContext, dataset: string): Promise<Project> {
  const rows = (await context.store.readJson<{ rows: number | null }>(fileOf(dataset)))?.rows ?? 0;
  const project = await awaitDataset(context, dataset, ({ total_datums_in_project: held }) => held >= rows);
  const held = project.total_datums_in_project;
  if (held >= rows) return project;
  throw new Inconclusive(
    `the dataset held ${rows} rows before its maps were updated and ${held} after it: a deletion that was ordered earlier, or was delivered again, has taken the others. Run again: rows that are missing are added again`,
  );
}
