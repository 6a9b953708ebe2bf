import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';
import { addOrganization, findOrganization } from '../../core/records/organizations.ts';
import { organizationSlugProblem, slugOf } from '../../core/records/slugs.ts';
import { mayChange } from './members.ts';
import { organizationView } from './organization-view.ts';
import type { MapsState } from './state.ts';

export const createOrganizations = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['organizations'] => ({
  get({ organization_id_or_slug, offset_number, limit }, caller) {
    const found = findOrganization(records, organization_id_or_slug);
    if (!found) throw notFound('organization', organization_id_or_slug);
    return organizationView(records, found, caller, { offset: offset_number, limit: limit ?? -1 });
  },
  search({ slug }) {
    const found = records.get<{ id: string }>('SELECT id FROM organizations WHERE slug = ?', slug);
    if (!found) throw notFound('organization', slug);
    return { organization_id: found.id };
  },
  update({ organization_id, ai_subprocessor, ...changes }, caller) {
    mayChange(records, caller, organization_id, []);
    const slug = changes.new_organization_slug ? slugOf(changes.new_organization_slug) : undefined;
    const problem = slug === undefined ? undefined : organizationSlugProblem(slug);
    if (problem) throw invalid('new_organization_slug', `'${slug}' ${problem}: take another name`);
    const columns = {
      nickname: changes.new_organization_nickname,
      organization_type: changes.new_organization_type,
      slug,
      description: changes.new_organization_description,
      logo_url: changes.new_organization_logo_url,
      website: changes.new_organization_website,
      ai_subprocessor,
    };
    // Null and absent are one (assumption): no client clears a field.
    const given = Object.entries(columns).flatMap(([column, value]) =>
      value === undefined || value === null ? [] : [[column, value] as const],
    );
    return records.effect(
      {
        requestId: caller.requestId,
        operation: 'maps.organizations.update',
        subject: `organization/${organization_id}`,
        content: Object.fromEntries(given),
      },
      () => {
        if (slug !== undefined) refuseTaken(records, organization_id, slug);
        const set = given.map(([column]) => `${column} = ?`);
        const differs = given.map(([column]) => `${column} IS NOT ?`);
        const values = given.map(([, value]) => value);
        const changed =
          given.length === 0
            ? 0
            : records.run(
                `UPDATE organizations SET ${set.join(', ')} WHERE id = ? AND (${differs.join(' OR ')})`,
                ...values,
                organization_id,
                ...values,
              );
        return { changed, value: { result: 'ok' as const } };
      },
    );
  },
  create: (input, { userId, requestId }) =>
    records.effect(
      {
        requestId,
        operation: 'maps.organizations.create',
        subject: `organization/${userId}/${input.nickname}`,
        content: { user: userId, nickname: input.nickname },
      },
      () => ({
        changed: 1,
        value: { organization_id: addOrganization(records, userId, input) },
      }),
    ),
});

function refuseTaken(records: Records, organizationId: string, slug: string): void {
  if (records.get('SELECT 1 AS taken FROM organizations WHERE slug = ? AND id <> ?', slug, organizationId))
    throw new HttpError(409, `another organization has the slug '${slug}'`);
}
