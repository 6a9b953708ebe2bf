import { randomUUID } from 'node:crypto';
import { isoTime } from '../clock.ts';
import type { Records } from './database.ts';
import { freeSlug, organizationSlugProblem, slugOf } from './slugs.ts';

export type OrganizationRow = {
  id: string;
  nickname: string;
  slug: string;
  organization_type: string;
  description: string | null;
  logo_url: string | null;
  website: string | null;
  ai_subprocessor: string | null;
  created_at: string;
};
export type UserRow = {
  id: string;
  nickname: string;
  name: string;
  email: string;
  created_at: string;
  default_organization: string | null;
  disabled_at: string | null;
  updated_at: string | null;
};

type NewOrganization = {
  nickname: string;
  organization_type: string;
  description?: string | null | undefined;
  logo_url?: string | null | undefined;
  website?: string | null | undefined;
};

/** Adds an organization with its owner; call inside a transaction. */
export const addOrganization = (
  records: Records,
  userId: string,
  { nickname, organization_type, description, logo_url, website }: NewOrganization,
): string => {
  const id = randomUUID();
  const slug = freeSlug(
    slugOf(nickname),
    (each) =>
      organizationSlugProblem(each) !== undefined || records.get('SELECT 1 AS taken FROM organizations WHERE slug = ?', each) !== undefined,
  );
  records.run(
    'INSERT INTO organizations (id, nickname, slug, organization_type, description, logo_url, website, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    nickname,
    slug,
    organization_type,
    description ?? null,
    logo_url ?? null,
    website ?? null,
    isoTime(),
  );
  records.run('INSERT INTO memberships (user_id, organization_id, access_role) VALUES (?, ?, ?)', userId, id, 'OWNER');
  return id;
};

/** The user of a fresh data directory, with a personal organization; the same one at every later start. */
export const firstUser = (records: Records): { userId: string; organizationId: string } =>
  records.transaction(() => {
    const known = records.get<UserRow>('SELECT * FROM users ORDER BY rowid LIMIT 1');
    if (known) return { userId: known.id, organizationId: known.default_organization! };
    return addUser(records, { nickname: 'local', name: 'Local User', email: 'local@localhost' });
  });

export type NewUser = { nickname: string; name: string; email: string };

/** Adds a user with a personal organization; call inside a transaction. */
export const addUser = (records: Records, { nickname, name, email }: NewUser): { userId: string; organizationId: string } => {
  const userId = randomUUID();
  records.run('INSERT INTO users (id, nickname, name, email, created_at) VALUES (?, ?, ?, ?, ?)', userId, nickname, name, email, isoTime());
  const organizationId = addOrganization(records, userId, { nickname, organization_type: 'personal' });
  records.run('UPDATE users SET default_organization = ? WHERE id = ?', organizationId, userId);
  return { userId, organizationId };
};

/** The organization that is named, by its id in any case or by its slug. */
export const findOrganization = (records: Records, named: string): OrganizationRow | undefined =>
  records.get<OrganizationRow>('SELECT * FROM organizations WHERE id = lower(?) OR slug = ?', named, named);

export const isMember = (records: Records, userId: string, organizationId: string): boolean =>
  records.get('SELECT 1 AS member FROM memberships WHERE user_id = ? AND organization_id = ?', userId, organizationId) !== undefined;

/** The organization, where the user is a member of it; else ''. */
export const ifMember = (records: Records, userId: string, organizationId: string | null): string =>
  organizationId !== null && isMember(records, userId, organizationId) ? organizationId : '';

/** May the user do in the organization what its administrators may? */
export const administers = (records: Records, { userId, organizationId }: { userId: string; organizationId: string }): boolean =>
  records.get(
    "SELECT 1 AS yes FROM memberships WHERE user_id = ? AND organization_id = ? AND access_role IN ('OWNER', 'ADMIN')",
    userId,
    organizationId,
  ) !== undefined;
