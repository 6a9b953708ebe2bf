import { HttpError } from '../core/errors.ts';
import type { Caller } from '../core/records/keys.ts';

/** 403 where the user of a key is no member any more of the organization that the key acts for. */
export const refuseFormer = ({ organizationId }: Caller): void => {
  if (organizationId === '')
    throw new HttpError(403, 'the user has left the organization that this key or token acts for: take a key of another organization');
};
