import { Inconclusive } from '../../errors/classes.ts';
import { untilSeen } from '../frame/until-seen.ts';
import type { StepContext } from '../frame/context.ts';
import type { Project } from '../../contracts/maps/coverage.ts';

/** The dataset as soon as it is as it should be; counts may lag behind writes. */
export const awaitDataset = (context: StepContext, dataset: string, holds: (project: Project) => boolean): Promise<Project> =>
  untilSeen(context, () => context.maps.projects.get({ project_id: dataset }, { signal: context.signal }), holds);

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
