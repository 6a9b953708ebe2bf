import { ApiError } from '../../client/errors.ts';
import type { OperationName } from '../../contracts/index.ts';
import type { StepContext } from '../frame/context.ts';
import { datasetNow, updateReceived } from '../index/coverage.ts';
import { findOrganization } from '../dataset/organization.ts';
import { Undecided } from '../../errors/classes.ts';

type Find = (context: StepContext, input: Record<string, unknown>) => Promise<unknown>;

/** How the effect of a `reconcile` operation is looked up: the answer it would have given, or undefined. */
export const findEffect: Partial<Record<OperationName, Find>> = {
  'maps.organizations.create': async ({ maps, signal }, input) => {
    const { organizations } = await maps.user.get({}, { signal });
    const found = organizations.find((each) => each.nickname === input['nickname']);
    return found && { organization_id: found.organization_id };
  },
  'maps.projects.create': async (context, input) => {
    const { slug } = await findOrganization(context);
    const project_slug = String(input['slug'] ?? input['project_name']);
    try {
      const found = await context.maps.projects.bySlug({ organization_slug: slug, project_slug }, { signal: context.signal });
      return { project_id: found.id, slug: found.slug };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  },
  'maps.indices.update': async (context, input) =>
    updateReceived(await datasetNow(context, String(input['project_id']))) ? { result: 'ok' } : undefined,
  'maps.uploads.complete': async ({ maps, signal }, input) => {
    const { unique_id_field } = await maps.projects.get({ project_id: String(input['dataset_id']) }, { signal });
    // An upload cannot be read, but ending a finished one again answers the same (assumption), and ids are there once. Rows to which
    // the service gives their ids would be there twice.
    if (unique_id_field) return undefined;
    throw new Undecided(
      'maps.uploads.complete may have been carried out, and the dataset has no id column by which its rows are told: compare its count of rows, then run again or leave the step out',
    );
  },
  'maps.indices.create': async ({ maps, signal }, input) => {
    // Without a name of its own an index cannot be told from its neighbours.
    if (!input['index_name']) return undefined;
    const project = await maps.projects.get({ project_id: String(input['project_id']) }, { signal });
    const found = project.atlas_indices.find((each) => each.index_name === input['index_name']);
    return found && { job_id: found.id, projection_id: found.projections[0]?.id ?? null };
  },
};
