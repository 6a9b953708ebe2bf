import type { instance } from '../../../contracts/instance/index.ts';
import { isoTime } from '../../core/clock.ts';
import { HttpError, notFound } from '../../core/errors.ts';
import { activeKeys, type KeyRow } from '../../core/records/keys.ts';
import type { UserRow } from '../../core/records/organizations.ts';
import type { Handlers } from '../../http/handlers.ts';
import { audit } from './audit.ts';
import { page } from './page.ts';
import type { InstanceState } from './state.ts';

const view = (row: UserRow) => ({
  id: row.id,
  email: row.email,
  name: row.name,
  disabled: row.disabled_at !== null,
  disabledAt: row.disabled_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at ?? row.created_at,
});

const members = 'FROM users JOIN memberships ON memberships.user_id = users.id WHERE organization_id = ?';

export const createUsers = ({
  records,
  readings,
  identity,
}: Pick<InstanceState, 'records' | 'readings' | 'identity'>): Handlers<typeof instance>['users'] => {
  const member = (organizationId: string, id: string): UserRow => {
    const user = records.get<UserRow>(`SELECT users.* ${members} AND users.id = ?`, organizationId, id);
    if (!user) throw notFound('user', id);
    return user;
  };
  return {
    list({ email = '', ...asked }, { organizationId }) {
      // Not LIKE: what is asked for may hold its wildcards.
      const matching = `${members} AND instr(caseless(email), caseless(?)) > 0`;
      const total = records.get<{ total: number }>(`SELECT count(*) AS total ${matching}`, organizationId, email)!.total;
      return page(
        asked,
        ({ created_at, id }, count) =>
          records.all<UserRow>(
            `SELECT users.* ${matching} AND (users.created_at, users.id) < (?, ?) ORDER BY users.created_at DESC, users.id DESC LIMIT ?`,
            organizationId,
            email,
            created_at,
            id,
            count,
          ),
        view,
        total,
      );
    },
    get({ id }, { organizationId }) {
      const user = member(organizationId, id);
      return { ...view(user), apiKeyCount: activeKeys(records, 'instance', id), sessionCount: identity.sessions.count(id) };
    },
    disable({ id, reason }, { organizationId, userId, requestId }) {
      const user = member(organizationId, id);
      if (id === userId) throw new HttpError(409, 'a user cannot disable the own account');
      if (user.disabled_at !== null && readings.of('second-disabling') === 'conflict')
        throw new HttpError(409, 'the user is disabled already');
      const operation = 'instance.users.disable';
      return records.effect({ requestId, operation, subject: `user/${id}`, content: { id } }, () => {
        const at = isoTime();
        const disabledAt = user.disabled_at ?? at;
        const changed = records.run('UPDATE users SET disabled_at = ?, updated_at = ? WHERE id = ? AND disabled_at IS NULL', at, at, id);
        const revoked = records.all<Pick<KeyRow, 'service'>>(
          'UPDATE keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING service',
          at,
          id,
        );
        identity.codes.forget(id);
        const ended = identity.sessions.endAll(id);
        audit(records, { userId, operation, subject: id, reason });
        // Keys of the maps API end too; this API counts its own, as in `apiKeyCount`.
        const revokedApiKeys = revoked.filter(({ service }) => service === 'instance').length;
        return {
          changed: changed + revoked.length + ended,
          value: { success: true, user: { id, email: user.email, disabled: true, disabledAt }, revokedApiKeys },
        };
      });
    },
    enable({ id, reason }, { organizationId, userId, requestId }) {
      const user = member(organizationId, id);
      const operation = 'instance.users.enable';
      return records.effect({ requestId, operation, subject: `user/${id}`, content: { id } }, () => {
        audit(records, { userId, operation, subject: id, reason });
        return {
          changed: records.run(
            'UPDATE users SET disabled_at = NULL, updated_at = ? WHERE id = ? AND disabled_at IS NOT NULL',
            isoTime(),
            id,
          ),
          value: { success: true, user: { id, email: user.email, disabled: false } },
        };
      });
    },
  };
};
