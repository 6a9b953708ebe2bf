import { settled } from '../place.ts';
import type { MadeMap, Shown } from './row.ts';

/** An id that nothing has. */
export const nowhere = '00000000-0000-4000-8000-000000000000';

/** An organization of its own, of which the caller is the owner. */
export const organizationOf = async ({ invoke }: Shown, nickname = 'Orchard'): Promise<string> =>
  (await invoke('maps.organizations.create', { nickname })).organization_id;

/** A dataset with rows, and nothing built of them. */
export async function datasetOf({ invoke, organization, shardOf }: Shown, count = 4): Promise<string> {
  const { project_id } = await invoke('maps.projects.create', {
    organization_id: organization.organization_id,
    project_name: 'ships',
    unique_id_field: 'id',
  });
  await invoke('maps.data.addArrow', { body: shardOf(project_id, count) });
  return project_id;
}

/** A map of its own, for who changes it. */
export async function mapOf(at: Shown): Promise<MadeMap> {
  const project = await datasetOf(at, 30);
  const { job_id } = await at.invoke('maps.indices.create', at.indexOrder(project));
  const { atlas_indices } = await settled(at, project);
  const [index] = atlas_indices;
  return { project, job: job_id, index: index!.id, map: index!.projections[0]!.id };
}

/** A key that reads one dataset and nothing else. */
export const viewerOf = async ({ invoke, organization }: Shown, project: string): Promise<string> =>
  (
    await invoke('maps.keys.create', {
      organization_id: organization.organization_id,
      key_name: `viewer of ${project}`,
      key_scope: 'DATASET',
      key_role: 'VIEWER',
      key_target_id: project,
    })
  ).key;
