import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import type { z } from 'zod';
import { ApiError } from '../../client/errors.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import type { project } from '../../contracts/maps/projects.ts';
import type { definition } from '../../pipelines/steps/dataset/ensure.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { findOrganization } from './organization.ts';
import { sendOnce, wasBegun } from '../effects/send-once.ts';

type Project = z.output<typeof project>;

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const organization = await findOrganization(context);
    const find = (): Promise<Project | undefined> => bySlug(context, organization, input.slug);
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
        const { project_id, slug } = await context.maps.projects.create(request, { signal: context.signal });
        if (slug !== input.slug) await refuseOtherSlug(context, project_id, slug, input.slug);
        return { project_id };
      },
    });
    return output(await context.maps.projects.get({ project_id: made.value.project_id }, { signal: context.signal }), true, context);
  },
};
export default activity;

/** Statuses by which a service may say that it knows no such dataset, or shows none. */
const notShown = new Set([400, 403, 404]);

/**
 * The dataset of a slug. Only a 404 says by itself that there is none; where a service refuses otherwise, the caller's own
 * list decides: a creation that should not have been is a second dataset.
 */
async function bySlug(context: StepContext, organization: { id: string; slug: string }, slug: string): Promise<Project | undefined> {
  const { maps, signal } = context;
  try {
    return await maps.projects.bySlug({ organization_slug: organization.slug, project_slug: slug }, { signal });
  } catch (error) {
    if (!(error instanceof ApiError && notShown.has(error.status))) throw error;
    if (error.status === 404) return undefined;
    const { projects } = await maps.projects.list({}, { signal });
    for (const { id } of projects.filter((each) => each.slug === slug)) {
      const found = await maps.projects.get({ project_id: id }, { signal });
      if (found.owner === organization.id) return found;
    }
    return undefined;
  }
}

/** The slug is taken by something that cannot be seen: the dataset that was made instead is taken away, or every run would make another. */
async function refuseOtherSlug(context: StepContext, project_id: string, made: string, wanted: string): Promise<never> {
  await context.maps.projects.remove({ project_id }, { signal: context.signal });
  throw new ServiceFailed(
    `the service gave the new dataset the slug '${made}' instead of '${wanted}', which is taken by a dataset that this key does not see, or by one whose removal has not ended; it was removed again. Choose another slug, or run again later`,
  );
}

const output = (project: Project, created: boolean, context: StepContext) => ({
  id: project.id,
  slug: project.slug,
  created,
  rows: project.total_datums_in_project,
  idField: project.unique_id_field ?? automaticIdField,
  url: context.mapsUrl(`/data/${project.organization_slug ?? project.owner}/${project.slug}`),
});
