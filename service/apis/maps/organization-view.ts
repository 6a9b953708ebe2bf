import type { z } from 'zod';
import type { get } from '../../../contracts/maps/organizations.ts';
import type { Records } from '../../core/records/database.ts';
import type { OrganizationRow, UserRow } from '../../core/records/organizations.ts';
import type { CallContext } from '../../http/handlers.ts';
import { permissionsOf, roleIn, type Role } from './roles.ts';

/** Everybody is on it: nothing here is paid for. */
export const planType = 'free';

/** Which of an organization's datasets are shown; a limit of -1: all from the offset on. */
type Part = { offset: number; limit: number };

type View = z.input<typeof get.output>;

/** What members see of an organization, and what others do: its public datasets alone. */
export function organizationView(
  records: Records,
  row: OrganizationRow,
  { userId, keyRole }: Pick<CallContext, 'userId' | 'keyRole'>,
  part: Part,
): View {
  const role = roleIn(records, userId, row.id, keyRole);
  const { id, slug, nickname, description } = row;
  const projects = projectsOf(records, id, role !== undefined, part);
  // Nothing of this service makes an organization public.
  const seen = { id, slug, nickname, description, projects, public_organization: false };
  if (role === undefined) return { ...seen, access_role: 'VIEWER', permissions: {} };
  return {
    ...seen,
    organization_type: row.organization_type,
    logo_url: row.logo_url,
    website: row.website,
    ai_subprocessor: row.ai_subprocessor ?? 'openai',
    access_role: role,
    permissions: permissionsOf(role),
    project_count: countOf(records, id),
    members: membersOf(records, id),
    connectors: [],
    features: [],
    plan_type: planType,
    time_created: row.created_at,
    linked_user_account_id: null,
    ...unlimited,
  };
}

/** Nothing is limited, offered or billed here; the fields are those of the public docs. */
export const most = 2 ** 31 - 1;
const unlimited = {
  max_datums_per_project: most,
  max_members: most,
  max_projects: most,
  max_external_collaborators: most,
  private_projects: true,
  max_free_embedding_api_token_usage: most,
  max_advanced_analysis_calls: 0,
  max_advanced_analysis_calls_per_billing_period: 0,
  free_text_tokens_per_seat: 0,
  free_image_embeddings_per_seat: 0,
  free_storage_per_seat: 0,
  free_seats: 0,
  stripe_subscription_id: null,
  stripe_customer_id: null,
  stripe_subscription_start_timestamp: null,
  stripe_subscription_end_timestamp: null,
  stripe_trial_end_timestamp: null,
};

const projectsOf = (records: Records, organizationId: string, all: boolean, { offset, limit }: Part): NonNullable<View['projects']> =>
  records.all(
    'SELECT id, project_name, slug FROM projects WHERE owner = ? AND removed_at IS NULL AND (is_public OR ?) ORDER BY created_at, rowid LIMIT ? OFFSET ?',
    organizationId,
    Number(all),
    limit,
    offset,
  );

const countOf = (records: Records, organizationId: string): number =>
  records.get<{ count: number }>('SELECT count(*) AS count FROM projects WHERE owner = ? AND removed_at IS NULL', organizationId)!.count;

const membersOf = (records: Records, organizationId: string): NonNullable<View['members']> =>
  records
    .all<UserRow & { access_role: Role }>(
      'SELECT users.*, access_role FROM memberships JOIN users ON users.id = user_id WHERE organization_id = ? ORDER BY users.created_at, users.rowid',
      organizationId,
    )
    .map(({ id, nickname, email, access_role }) => ({
      user_id: id,
      nickname,
      email,
      picture: null,
      access_role,
      organization_id: organizationId,
      permissions: permissionsOf(access_role),
    }));
