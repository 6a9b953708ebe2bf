import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { OrganizationRow, UserRow } from '../../core/records/organizations.ts';
import { planType } from './organization-view.ts';
import { permissionsOf, roleByKey, type Role } from './roles.ts';
import type { MapsState } from './state.ts';

const profileOf = ({ id, nickname, name, email, created_at, updated_at }: UserRow) => ({
  sub: id,
  nickname,
  name,
  email,
  picture: null,
  updated_at: updated_at ?? created_at,
});

export const createUser = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['user'] => ({
  get(_, { userId, ...caller }) {
    const user = records.get<UserRow>('SELECT * FROM users WHERE id = ?', userId)!;
    const organizations = records.all<OrganizationRow & { access_role: Role }>(
      'SELECT organizations.*, access_role FROM memberships JOIN organizations ON organizations.id = organization_id WHERE user_id = ? ORDER BY organizations.created_at, organizations.rowid',
      userId,
    );
    return {
      ...profileOf(user),
      // One that the user has left is theirs no more.
      default_organization: organizations.find(({ id }) => id === user.default_organization)?.id ?? organizations[0]?.id ?? null,
      waitlisted: false,
      organizations: organizations.map(({ id, nickname, slug, access_role }) => ({
        organization_id: id,
        nickname,
        user_id: userId,
        access_role,
        plan_type: planType,
        // The role is the user's; what it permits is bounded by the key.
        permissions: permissionsOf(roleByKey(records, id, { userId, ...caller })),
        slug,
      })),
    };
  },
  profile: (_, { userId }) => profileOf(records.get<UserRow>('SELECT * FROM users WHERE id = ?', userId)!),
});
