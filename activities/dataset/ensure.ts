import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import type { z } from 'zod';
import { ApiError } from '../../client/errors.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import { create, datasetsOf, type project } from '../../contracts/maps/projects.ts';
import type { definition } from '../../pipelines/steps/dataset/ensure.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { findOrganization } from './organization.ts';
import { askOf, lookupOf } from '../effects/lookup-of.ts';
import { sendOnce, wasBegun, wasMadeSince } from '../effects/send-once.ts';

type Project = z.output<typeof project>;

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const organization = await findOrganization(context);
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
    const call = { operation, input: request };
    const known = wasBegun(context, call) ? undefined : await bySlug(context, organization, input.slug);
    if (known) return output(known, wasMadeSince(context, call, known.id), context);

    await refuseLeftover(context, organization, input.slug);
    const { find, ...lookup } = lookupOf(create, create.input.parse(request), context);
    const { value: made } = await sendOnce(context, {
      ...call,
      lookup: {
        ...lookup,
        // Its slug says it at once; a list may lag behind.
        async find(before) {
          const found = await bySlug(context, organization, input.slug);
          return found ? { answer: { project_id: found.id, slug: found.slug } } : find(before);
        },
      },
      send: () => context.maps.projects.create(request, { signal: context.signal }),
    });
    if (made.slug !== input.slug) {
      await context.store.remember(leftoverOf(context, organization, input.slug), made.project_id);
      throw otherSlug(input.slug, made);
    }
    return output(await context.maps.projects.get({ project_id: made.project_id }, { signal: context.signal }), true, context);
  },
};
export default activity;

/** Statuses by which a service may say that it knows no such dataset, or shows none. */
const notShown = new Set([400, 403, 404]);

/**
 * The dataset of a slug. Only a 404 says by itself that there is none; where a service refuses otherwise, the list of the
 * organization decides: a creation that should not have been is a second dataset.
 */
async function bySlug(context: StepContext, organization: { id: string; slug: string }, slug: string): Promise<Project | undefined> {
  const { maps, signal } = context;
  try {
    return await maps.projects.bySlug({ organization_slug: organization.slug, project_slug: slug }, { signal });
  } catch (error) {
    if (!(error instanceof ApiError && notShown.has(error.status))) throw error;
    if (error.status === 404) return undefined;
    const listed = await datasetsOf(organization.id, askOf(context));
    for (const { id } of listed.filter((each) => each.slug === slug)) {
      const found = await maps.projects.get({ project_id: id }, { signal });
      if (found.owner === organization.id) return found;
    }
    return undefined;
  }
}

/**
 * The slug is taken by something that cannot be seen. What was made instead stays: a run deletes nothing that nobody approved,
 * and it is remembered, so that no further run makes another.
 */
const otherSlug = (wanted: string, { project_id, slug: made }: { project_id: string; slug: string }): ServiceFailed =>
  new ServiceFailed(
    `the service gave the new dataset the slug '${made}' instead of '${wanted}', which is taken by a dataset that this key does not see, or by one whose removal has not ended. Remove the new one, which is empty (portolan call maps.projects.remove '{"project_id":"${project_id}"}'), and choose another slug, or run again later`,
  );

const leftoverOf = ({ connection, mapsUrl }: StepContext, organization: { id: string }, slug: string): string =>
  JSON.stringify(['made with another slug', connection('maps').name, mapsUrl(''), organization.id, slug]);

/** Fails while the dataset that an earlier run was given under another slug is still there. */
async function refuseLeftover(context: StepContext, organization: { id: string }, slug: string): Promise<void> {
  const project_id = await context.store.recall<string>(leftoverOf(context, organization, slug));
  if (project_id === undefined) return;
  const left = (await datasetsOf(organization.id, askOf(context))).find(({ id }) => id === project_id);
  if (left) throw otherSlug(slug, { project_id, slug: left.slug ?? project_id });
}

const output = (project: Project, created: boolean, context: StepContext) => ({
  id: project.id,
  slug: project.slug,
  created,
  rows: project.total_datums_in_project,
  idField: project.unique_id_field ?? automaticIdField,
  url: context.mapsUrl(`/data/${project.organization_slug ?? project.owner}/${project.slug}`),
});
