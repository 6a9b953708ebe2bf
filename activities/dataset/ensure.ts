import type { z } from 'zod';
import { ApiError } from '../../client/errors.ts';
import type { project } from '../../contracts/maps/projects.ts';
import type { definition } from '../../pipelines/steps/dataset/ensure.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import type { StepContext } from '../frame/context.ts';
import { findOrganization } from './organization.ts';
import { sendOnce, wasBegun } from '../effects/send-once.ts';

type Project = z.output<typeof project>;

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const organization = await findOrganization(context);
    const find = (): Promise<Project | undefined> => bySlug(context, organization.slug, input.slug);
    const operation = 'maps.projects.create';
    const request = {
      organization_id: organization.id,
      project_name: input.slug,
      slug: input.slug,
      description: input.description ?? '',
      is_public: input.public,
      unique_id_field: input.idField,
    };
    // Once this step has begun to create it, a dataset of that slug is its own.
    const known = wasBegun(context, { operation, input: request }) ? undefined : await find();
    if (known) return output(known, false, context);

    const made = await sendOnce(context, {
      operation,
      input: request,
      lookup: {
        async find() {
          const found = await find();
          return found ? { answer: { project_id: found.id } } : 'absent';
        },
      },
      async send() {
        const { project_id } = await context.maps.projects.create(request, { signal: context.signal });
        return { project_id };
      },
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
