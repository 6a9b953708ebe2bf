import type { maps } from '../../../contracts/maps/index.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import { issueKey, type KeyRow } from '../../core/records/keys.ts';
import { isMember } from '../../core/records/organizations.ts';
import { projectOf } from '../../core/records/projects.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

/** The lifetime of a key is unknown (assumption): ten years. */
const lifetimeMs = 10 * 365 * 86_400_000;

/** Roles that a key may have, by what it is for (assumption; an AccessRole for an organization, a DatasetRole for a dataset). */
const roles: Readonly<Record<string, readonly string[]>> = {
  ORGANIZATION: ['OWNER', 'ADMIN', 'MEMBER'],
  DATASET: ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'],
  USER: [],
};

export const createKeys = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['keys'] => {
  const active = "FROM keys WHERE service = 'maps' AND organization_id = ? AND revoked_at IS NULL";
  const checkMember = (userId: string, organizationId: string): void => {
    if (!isMember(records, userId, organizationId)) throw new HttpError(403, 'The user is not authorized to perform this action.');
  };
  return {
    create({ organization_id, key_name, key_role, key_scope, key_target_id }, { userId, requestId }) {
      checkMember(userId, organization_id);
      const kind = key_scope ?? 'ORGANIZATION';
      if (key_role && !roles[kind]!.includes(key_role))
        throw invalid(
          'key_role',
          roles[kind]!.length === 0 ? `a key of scope ${kind} has none` : `of scope ${kind} is one of ${roles[kind]!.join(', ')}`,
        );
      if (kind === 'DATASET' && !key_target_id) throw invalid('key_target_id', 'of scope DATASET is the uuid of the dataset');
      if (kind === 'DATASET') projectOf(records, userId, key_target_id!);
      if (kind === 'ORGANIZATION' && key_target_id) checkMember(userId, key_target_id);
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
            role: key_role ?? null,
            target: { kind, id: target },
            expiresAt: new Date(Date.now() + lifetimeMs).toISOString(),
          });
          return { changed: 1, value: { key } };
        },
      );
    },
    list({ organization_id }, { userId }) {
      checkMember(userId, organization_id);
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
    remove({ organization_id, key_name, user_id }, { userId, requestId }) {
      checkMember(userId, organization_id);
      const owner = user_id ?? userId;
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
