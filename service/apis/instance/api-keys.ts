import type { instance } from '../../../contracts/instance/index.ts';
import { isoTime } from '../../core/clock.ts';
import { HttpError, notFound } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';
import type { KeyRow } from '../../core/records/keys.ts';
import type { Handlers } from '../../http/handlers.ts';
import { audit } from './audit.ts';
import { page } from './page.ts';

type Row = KeyRow & { email: string };

const view = (row: Row) => ({
  id: row.id,
  keyPrefix: row.prefix,
  name: row.key_name,
  scopes: JSON.parse(row.scopes) as string[],
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  user: { id: row.user_id, email: row.email },
});

const ofOrganization = `FROM keys JOIN users ON users.id = user_id WHERE service = 'instance' AND organization_id = ?
  AND user_id = coalesce(?, user_id) AND (? OR revoked_at IS NULL)`;

export const createApiKeys = (records: Records): Handlers<typeof instance>['apiKeys'] => ({
  list({ userId = null, includeRevoked, ...asked }, { organizationId }) {
    const chosen = [organizationId, userId, Number(String(includeRevoked) === 'true')] as const;
    const total = records.get<{ total: number }>(`SELECT count(*) AS total ${ofOrganization}`, ...chosen)!.total;
    return page(
      asked,
      ({ created_at, id }, count) =>
        records.all<Row>(
          `SELECT keys.*, email ${ofOrganization} AND (keys.created_at, keys.id) < (?, ?) ORDER BY keys.created_at DESC, keys.id DESC LIMIT ?`,
          ...chosen,
          created_at,
          id,
          count,
        ),
      view,
      total,
    );
  },
  revoke({ id, reason }, { organizationId, userId, requestId }) {
    const key = records.get<KeyRow>("SELECT * FROM keys WHERE id = ? AND service = 'instance' AND organization_id = ?", id, organizationId);
    if (!key) throw notFound('API key', id);
    if (key.revoked_at !== null) throw new HttpError(409, `the key is revoked already, since ${key.revoked_at}`);
    const revokedAt = isoTime();
    return records.effect({ requestId, operation: 'instance.apiKeys.revoke', subject: `key/${id}`, content: { id } }, () => {
      audit(records, { userId, operation: 'instance.apiKeys.revoke', subject: id, reason });
      return {
        changed: records.run('UPDATE keys SET revoked_at = ? WHERE id = ?', revokedAt, id),
        value: { success: true, apiKey: { id, keyPrefix: key.prefix, revokedAt } },
      };
    });
  },
});
