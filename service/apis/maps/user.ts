import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { OrganizationRow, UserRow } from '../../core/records/organizations.ts';
import type { MapsState } from './state.ts';

const scopes = ['administration', 'metadata', 'members', 'api_keys', 'datasets', 'billing']
  .flatMap((area) => [`${area}:read`, `${area}:write`])
  .concat('api_keys:manage_all', 'api_keys:manage_own', 'datasets:write_all', 'datasets:create', 'internally_shared_datasets:access');
const permissions = Object.fromEntries(scopes.map((scope) => [`organization:${scope}`, true]));

export const createUser = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['user'] => ({
  get(_, { userId }) {
    const user = records.get<UserRow>('SELECT * FROM users WHERE id = ?', userId)!;
    const organizations = records.all<OrganizationRow & { access_role: string }>(
      'SELECT organizations.*, access_role FROM memberships JOIN organizations ON organizations.id = organization_id WHERE user_id = ? ORDER BY organizations.created_at, organizations.rowid',
      userId,
    );
    return {
      sub: user.id,
      nickname: user.nickname,
      name: user.name,
      email: user.email,
      picture: null,
      updated_at: user.created_at,
      default_organization: user.default_organization,
      waitlisted: false,
      organizations: organizations.map(({ id, nickname, slug, access_role }) => ({
        organization_id: id,
        nickname,
        user_id: userId,
        access_role,
        plan_type: 'free',
        permissions,
        slug,
      })),
    };
  },
});
