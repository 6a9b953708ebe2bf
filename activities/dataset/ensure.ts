import type { z } from 'zod';
import { ApiError } from '../../client/errors.ts';
import type { project } from '../../contracts/maps/projects.ts';
import type { definition } from '../../pipelines/steps/dataset/ensure.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import type { StepContext } from '../frame/context.ts';
import { findOrganization } from './organization.ts';
import { reconciled } from '../effects/reconcile.ts';

type Project = z.output<typeof project>;

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const organization = await findOrganization(context);
    const find = (): Promise<Project | undefined> => bySlug(context, organization.slug, input.slug);
    // With reconcile switched off a repeat is sent blindly: that is the control of the proofs.
    const known = context.attempt > 1 && !context.reconcile ? undefined : await find();
    if (known) return output(known, false, context);

    const made = await reconciled(context, {
      operation: 'maps.projects.create',
      find: async () => {
        const found = await find();
        return found && { project_id: found.id, slug: found.slug };
      },
      send: () =>
        context.maps.projects.create(
          {
            organization_id: organization.id,
            project_name: input.slug,
            slug: input.slug,
            description: input.description ?? '',
            is_public: input.public,
            unique_id_field: input.idField,
          },
          { signal: context.signal },
        ),
    });
    return output(await context.maps.projects.get({ project_id: made.value.project_id }, { signal: context.signal }), true, context);
  },
};
export default activity;

/** 404 is the only answer that means "does not exist": anything else must not lead to a creation. */
async function bySlug({ maps, signal }: StepContext, organization_slug: string, project_slug: string): Promise<Project | undefined> {
  try {
    return await maps.projects.bySlug({ organization_slug, project_slug }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

const output = (project: Project, created: boolean, context: StepContext) => ({
  id: project.id,
  slug: project.slug,
  created,
  rows: project.total_datums_in_project,
  idField: project.unique_id_field ?? 'id_',
  url: context.mapsUrl(`/data/${project.organization_slug ?? project.owner}/${project.slug}`),
});
