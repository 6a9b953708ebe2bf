import type { maps } from '../../../contracts/maps/index.ts';
import { HttpError, invalid, notAuthorized, notFound } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';
import type { UserRow } from '../../core/records/organizations.ts';
import { forgetLimits } from '../../engine/budgets/forget-limits.ts';
import type { CallContext, Handlers } from '../../http/handlers.ts';
import { isAbove, roleIn, type Role } from './roles.ts';
import type { MapsState } from './state.ts';

const ok = { result: 'ok' as const };

/** Members of organizations: administrators change them, and nobody gives or takes a role above their own (assumption). */
export const createMembers = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['members'] => ({
  add: ({ organization_id, access_role, user_id, email }, context) => {
    mayChange(records, context, organization_id, [access_role]);
    const user = userOf(records, user_id ?? undefined, email ?? undefined);
    return changeMember(records, context, { operation: 'maps.members.add', organization_id, user_id: user }, () => {
      const known = memberOf(records, organization_id, user);
      if (known === access_role) return 0;
      if (known) throw new HttpError(409, `is a member already, with the role ${known}: change it by members/update`);
      return records.run(
        'INSERT INTO memberships (user_id, organization_id, access_role) VALUES (?, ?, ?)',
        user,
        organization_id,
        access_role,
      );
    });
  },
  update: ({ organization_id, access_role, user_id }, context) =>
    changeMember(records, context, { operation: 'maps.members.update', organization_id, user_id }, () => {
      // Whoever may not change members does not learn by it who is one.
      mayChange(records, context, organization_id, [access_role]);
      const known = knownMember(records, organization_id, user_id);
      mayChange(records, context, organization_id, [known]);
      if (known === access_role) return 0;
      keepAnOwner(records, organization_id, known);
      return records.run(
        'UPDATE memberships SET access_role = ? WHERE user_id = ? AND organization_id = ?',
        access_role,
        user_id,
        organization_id,
      );
    }),
  remove: ({ organization_id, user_id }, context) =>
    changeMember(records, context, { operation: 'maps.members.remove', organization_id, user_id }, () => {
      // Whoever wants to leave may.
      if (user_id !== context.userId) mayChange(records, context, organization_id, []);
      const known = knownMember(records, organization_id, user_id);
      if (user_id !== context.userId) mayChange(records, context, organization_id, [known]);
      keepAnOwner(records, organization_id, known);
      forgetLimits(records, { organizationId: organization_id }, [user_id]);
      return records.run('DELETE FROM memberships WHERE user_id = ? AND organization_id = ?', user_id, organization_id);
    }),
});

type Change = { operation: string; organization_id: string; user_id: string };

/** One transaction with its row in the journal, which says how many members it changed. */
const changeMember = (records: Records, { requestId }: CallContext, { operation, ...member }: Change, change: () => number) =>
  records.effect({ requestId, operation, subject: `member/${member.organization_id}/${member.user_id}`, content: member }, () => ({
    changed: change(),
    value: ok,
  }));

/** 403 unless the caller is an administrator of the organization, and has each of the roles that are given or taken, or a higher one. */
export function mayChange(
  records: Records,
  { userId, keyRole }: Pick<CallContext, 'userId' | 'keyRole'>,
  organizationId: string,
  roles: readonly Role[],
): void {
  const own = roleIn(records, userId, organizationId, keyRole);
  if (own === undefined || !isAbove(own, 'MEMBER')) throw notAuthorized();
  const above = roles.find((role) => isAbove(role, own));
  if (above) throw new HttpError(403, `the role ${above} is given and taken by nobody below it, and this is a key of a ${own}`);
}

/** The role of the user itself, whatever key it comes with. */
const memberOf = (records: Records, organizationId: string, userId: string): Role | undefined =>
  roleIn(records, userId, organizationId, null);

function knownMember(records: Records, organizationId: string, userId: string): Role {
  const role = memberOf(records, organizationId, userId);
  if (role === undefined) throw notFound('member', userId);
  return role;
}

/** 409 where the last owner would go: nobody could give the role again. */
function keepAnOwner(records: Records, organizationId: string, role: Role): void {
  if (role !== 'OWNER') return;
  const { owners } = records.get<{ owners: number }>(
    "SELECT count(*) AS owners FROM memberships WHERE organization_id = ? AND access_role = 'OWNER'",
    organizationId,
  )!;
  if (owners === 1) throw new HttpError(409, 'this is the last OWNER of the organization: make another one first');
}

/** The user of an id, or of an email; 422 where neither or both name one, 404 where nobody has it. */
function userOf(records: Records, id: string | undefined, email: string | undefined): string {
  if ((id === undefined) === (email === undefined)) throw invalid('user_id', 'either this or email says who');
  const [named, value] = id === undefined ? ['caseless(email) = caseless(?)', email!] : ['id = ?', id];
  const user = records.get<Pick<UserRow, 'id'>>(`SELECT id FROM users WHERE ${named}`, value);
  if (!user) throw notFound('user', value);
  return user.id;
}
