import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../contracts/index.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { nearest } from '../../text/nearest.ts';
import { firstUser, isMember, type UserRow } from '../../service/core/records/organizations.ts';
import { openRecords } from '../../service/core/records/database.ts';
import { issueKey } from '../../service/core/records/keys.ts';
import { CommandError, UsageError } from '../frame/errors.ts';

type NewKey = { scope?: string[] | undefined; user?: string | undefined; name?: string | undefined };

/** Every scope that an operation asks for, and the two that hold all. */
const known = [...new Set(['developer', 'admin', ...Object.values<Endpoint>(operations).flatMap(({ scopes = [] }) => scopes)])];

const meant = (scope: string): string => {
  const found = nearest(scope, known);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
};

/** Makes a key of the instance API in a data folder of the local service, as its developer console would; returns it. */
export function createKey(dataDir: string, { scope: scopes = [], user: email, name = 'made by hand' }: NewKey): string {
  if (scopes.length === 0) throw new UsageError(`a key needs --scope; there are ${known.toSorted().join(', ')}`);
  for (const scope of scopes)
    if (!known.includes(scope)) throw new UsageError(`'${scope}' is no scope${meant(scope)}; there are ${known.toSorted().join(', ')}`);
  const file = join(dataDir, 'records.sqlite');
  if (!existsSync(file)) throw new CommandError(`${dataDir} holds no service yet`, { remedy: 'start it once: portolan service' });
  const records = openRecords(file);
  try {
    const owner = firstUser(records);
    const user = email === undefined ? undefined : records.get<UserRow>('SELECT * FROM users WHERE lower(email) = lower(?)', email);
    if (email !== undefined && !user)
      throw new CommandError(`the service has no user with the email ${email}`, { remedy: 'leave --user out for the first user' });
    // A key of somebody who is in no organization of the service would be refused by it.
    if (user && !isMember(records, user.id, owner.organizationId))
      throw new CommandError(`${email} is no member of the service's organization any more`, {
        remedy: 'leave --user out for the first user',
      });
    return issueKey(records, { service: 'instance', userId: user?.id ?? owner.userId, organizationId: owner.organizationId, name, scopes })
      .key;
  } finally {
    records.close();
  }
}
