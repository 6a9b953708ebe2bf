import type { Endpoint } from '../../../contracts/endpoint.ts';
import { remove, update } from '../../../contracts/maps/projects.ts';
import { start } from '../../../contracts/maps/uploads.ts';
import type { Records } from '../../core/records/database.ts';
import type { CallContext } from '../../http/handlers.ts';

/** Roles of a key by what it is for, the least first (assumption: "Allowed values of key_role: not shown"); a key of the user has none. */
export const keyRoles = {
  ORGANIZATION: ['MEMBER', 'ADMIN', 'OWNER'],
  DATASET: ['VIEWER', 'EDITOR', 'ADMIN'],
  USER: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Role = (typeof keyRoles.ORGANIZATION)[number];

const rank = (role: string): number => (keyRoles.ORGANIZATION as readonly string[]).indexOf(role);

/** What a user may be in an organization with a key; undefined where the key is for a dataset, or for another organization. */
export const roleByKey = (
  records: Records,
  organizationId: string,
  { userId, keyRole, keyTarget: { kind, id } = { kind: null, id: null } }: Pick<CallContext, 'userId' | 'keyRole' | 'keyTarget'>,
): Role | undefined =>
  kind === 'DATASET' || (kind === 'ORGANIZATION' && id !== null && id !== organizationId)
    ? undefined
    : roleIn(records, userId, organizationId, keyRole);

/** What a user is in an organization, with a key of that role: the lesser of both; undefined where it is no member. */
export function roleIn(records: Records, userId: string, organizationId: string, keyRole: string | null): Role | undefined {
  const member = records.get<{ access_role: Role }>(
    'SELECT access_role FROM memberships WHERE user_id = ? AND organization_id = ?',
    userId,
    organizationId,
  );
  if (!member || keyRole === null) return member?.access_role;
  return keyRoles.ORGANIZATION[Math.min(rank(member.access_role), rank(keyRole))];
}

const areas = ['administration', 'metadata', 'members', 'api_keys', 'datasets', 'billing'] as const;

const everything = areas
  .flatMap((area) => [`${area}:read`, `${area}:write`])
  .concat('api_keys:manage_all', 'api_keys:manage_own', 'datasets:write_all', 'datasets:create', 'internally_shared_datasets:access');

/** What a role lacks, by the least that has it (assumption): the text names no permissions, the public docs only their names. */
const ofOwners = new Set(['billing:write']);
const ofAdmins = new Set([
  'administration:read',
  'administration:write',
  'metadata:write',
  'members:write',
  'api_keys:manage_all',
  'billing:read',
]);

/** The permissions of an organization by name, as answers show them; undefined: of who has none. */
export const permissionsOf = (role: Role | undefined): Record<string, boolean> =>
  Object.fromEntries(
    everything.map((name) => [
      `organization:${name}`,
      role !== undefined && (ofOwners.has(name) ? role === 'OWNER' : ofAdmins.has(name) ? isAbove(role, 'MEMBER') : true),
    ]),
  );

export const isAbove = (role: string, other: Role): boolean => rank(role) > rank(other);

const ofDatasetAdmins = new Set([update.path, remove.path]);

/** The role of a dataset that an operation asks of a key of this dataset: the dataset itself is its administrators', its content its editors'. */
const datasetRole = ({ path, effect }: Endpoint): (typeof keyRoles.DATASET)[number] =>
  ofDatasetAdmins.has(path) ? 'ADMIN' : effect === 'safe' && path !== start.path ? 'VIEWER' : 'EDITOR';

/** May a key of a dataset with this role (null: every one) send the operation? */
export const maySend = (role: string | null, endpoint: Endpoint): boolean =>
  role === null || (keyRoles.DATASET as readonly string[]).indexOf(role) >= keyRoles.DATASET.indexOf(datasetRole(endpoint));
