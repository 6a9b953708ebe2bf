import type { Endpoint } from '../../../contracts/endpoint.ts';
import type { Records } from '../../core/records/database.ts';
import type { Caller } from '../../core/records/keys.ts';
import { HttpError } from '../../core/errors.ts';
import { administers } from '../../core/records/organizations.ts';
import { refuseFormer } from '../membership.ts';

/** `admin` and `developer` hold all scopes that begin so, and to write or administer is to read (public docs). */
export const holds = (scopes: readonly string[], needed: string): boolean =>
  scopes.some(
    (scope) =>
      scope === needed ||
      scope === needed.split(':')[0] ||
      scope === needed.replace(/:read$/, ':write') ||
      scope === needed.replace(/:read$/, ':admin'),
  );

/** 403 where the owner of the key has left the organization, the key lacks the scope of an operation, or an admin scope is held by someone who is no administrator of the organization. */
export const authorize = (records: Records, caller: Caller, { scopes }: Endpoint): void => {
  refuseFormer(caller);
  if (!scopes) return;
  if (!scopes.some((needed) => holds(caller.scopes, needed)))
    throw new HttpError(403, `the key lacks the scope ${scopes.join(' or ')}: create one with it in the developer console`);
  if (scopes.every((needed) => needed.startsWith('admin:')) && !administers(records, caller))
    throw new HttpError(403, 'the owner of the key is no administrator of the organization');
};
