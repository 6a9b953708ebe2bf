import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { notFound } from '../../core/errors.ts';
import { addOrganization, isMember, type OrganizationRow } from '../../core/records/organizations.ts';
import type { MapsState } from './state.ts';

export const createOrganizations = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['organizations'] => ({
  get({ organization_id_or_slug, offset_number, limit }, { userId }) {
    const found = records.get<OrganizationRow>(
      'SELECT * FROM organizations WHERE id = lower(?) OR slug = ?',
      organization_id_or_slug,
      organization_id_or_slug,
    );
    if (!found) throw notFound('organization', organization_id_or_slug);
    const projects = records.all<{ id: string; project_name: string; slug: string }>(
      'SELECT id, project_name, slug FROM projects WHERE owner = ? AND removed_at IS NULL AND (is_public OR ?) ORDER BY created_at, rowid LIMIT ? OFFSET ?',
      found.id,
      Number(isMember(records, userId, found.id)),
      limit ?? -1,
      offset_number,
    );
    return { id: found.id, slug: found.slug, nickname: found.nickname, projects };
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
