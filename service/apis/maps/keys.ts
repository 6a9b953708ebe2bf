import type { maps } from '../../../contracts/maps/index.ts';
import { HttpError, invalid, notAuthorized, notFound } from '../../core/errors.ts';
import { issueKey, type KeyRow } from '../../core/records/keys.ts';
import { projectOf } from '../../core/records/projects.ts';
import type { Handlers } from '../../http/handlers.ts';
import { isAbove, keyRoles, roleIn } from './roles.ts';
import type { MapsState } from './state.ts';

/** The lifetime of a key is unknown (assumption): ten years. */
const lifetimeMs = 10 * 365 * 86_400_000;

export const createKeys = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['keys'] => {
  const active = "FROM keys WHERE service = 'maps' AND organization_id = ? AND revoked_at IS NULL";
  const member = (userId: string, organizationId: string, keyRole: string | null) => {
    const role = roleIn(records, userId, organizationId, keyRole);
    if (role === undefined) throw notAuthorized();
    return role;
  };
  return {
    create({ organization_id, key_name, key_role, key_scope, key_target_id }, { userId, keyRole, requestId }) {
      member(userId, organization_id, keyRole);
      const kind = key_scope ?? 'ORGANIZATION';
      const known: readonly string[] = keyRoles[kind];
      if (key_role && !known.includes(key_role))
        throw invalid(
          'key_role',
          known.length === 0 ? `a key of scope ${kind} has none` : `of scope ${kind} is one of ${known.join(', ')}`,
        );
      if (kind === 'USER' && key_target_id) throw invalid('key_target_id', 'a key of scope USER is for no one place: leave it out');
      if (kind === 'DATASET' && !key_target_id) throw invalid('key_target_id', 'of scope DATASET is the uuid of the dataset');
      if (kind === 'DATASET') projectOf(records, userId, key_target_id!);
      if (kind === 'ORGANIZATION') {
        const own = member(userId, key_target_id ?? organization_id, keyRole);
        if (key_role && isAbove(key_role, own))
          throw new HttpError(
            403,
            `a key with the role ${key_role} is made by nobody below it, and this is a key of a ${own}: ask for ${own} or less`,
          );
      }
      const target = kind === 'USER' ? null : (key_target_id ?? organization_id);
      return records.effect(
        { requestId, operation: 'maps.keys.create', subject: `key/${organization_id}/${userId}/${key_name}`, content: { key_name } },
        () => {
          if (records.get(`SELECT 1 AS taken ${active} AND user_id = ? AND key_name = ?`, organization_id, userId, key_name))
            throw new HttpError(409, `there is a key named '${key_name}' already`);
          const { key } = issueKey(records, {
            service: 'maps',
            userId,
            organizationId: organization_id,
            name: key_name,
            // Of the same kind it may do no more than the key that makes it.
            role: key_role ?? (kind === 'ORGANIZATION' ? keyRole : null),
            target: { kind, id: target },
            expiresAt: new Date(Date.now() + lifetimeMs).toISOString(),
          });
          return { changed: 1, value: { key } };
        },
      );
    },
    list({ organization_id }, { userId, keyRole }) {
      member(userId, organization_id, keyRole);
      return {
        keys: records.all<KeyRow>(`SELECT * ${active} ORDER BY created_at, id`, organization_id).map((row) => ({
          key_name: row.key_name,
          creation: row.created_at,
          expiration: row.expires_at ?? new Date(Date.parse(row.created_at) + lifetimeMs).toISOString(),
          suffix: row.suffix,
          user_id: row.user_id,
        })),
      };
    },
    remove({ organization_id, key_name, user_id }, { userId, keyRole, requestId }) {
      const role = member(userId, organization_id, keyRole);
      const owner = user_id ?? userId;
      if (owner !== userId && !isAbove(role, 'MEMBER'))
        throw new HttpError(403, 'keys of other members are deleted by an OWNER or ADMIN of the organization: ask one of them');
      return records.effect(
        { requestId, operation: 'maps.keys.remove', subject: `key/${organization_id}/${owner}/${key_name}`, content: { key_name } },
        () => {
          const changed = records.run(
            "DELETE FROM keys WHERE service = 'maps' AND organization_id = ? AND user_id = ? AND key_name = ?",
            organization_id,
            owner,
            key_name,
          );
          if (changed === 0) throw notFound('key', key_name);
          return { changed, value: { result: 'ok' as const } };
        },
      );
    },
  };
};
