import type { Service } from '../../../contracts/index.ts';
import { notFound } from '../errors.ts';
import type { Records } from './database.ts';
import { issueKey } from './keys.ts';
import { addUser, isMember } from './organizations.ts';

/** What the developer console of an instance does and no operation: further users, and keys with scopes. */
export type People = {
  /** A member of the first user's organization; returns the id. */
  addUser(user: { name: string; email: string }): string;
  issueKey(key: { service: Service; name: string; scopes: readonly string[]; user?: string | undefined; expiresAt?: string | undefined }): {
    id: string;
    key: string;
  };
};

export const createPeople = (records: Records, owner: { userId: string; organizationId: string }): People => ({
  addUser: ({ name, email }) =>
    records.transaction(() => {
      const { userId } = addUser(records, { nickname: name, name, email });
      records.run('UPDATE users SET default_organization = ? WHERE id = ?', owner.organizationId, userId);
      records.run(
        'INSERT INTO memberships (user_id, organization_id, access_role) VALUES (?, ?, ?)',
        userId,
        owner.organizationId,
        'MEMBER',
      );
      return userId;
    }),
  issueKey({ service, name, scopes, user = owner.userId, expiresAt }) {
    if (!isMember(records, user, owner.organizationId)) throw notFound('user', user);
    return issueKey(records, {
      service,
      name,
      scopes,
      userId: user,
      organizationId: owner.organizationId,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
  },
});
