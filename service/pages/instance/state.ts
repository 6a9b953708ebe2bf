import { randomUUID } from 'node:crypto';
import type { instance } from '../../../contracts/instance/index.ts';
import type { InstanceState } from '../../apis/instance/state.ts';
import { HttpError } from '../../core/errors.ts';
import { callerOf } from '../../core/records/keys.ts';
import type { CallContext, Handlers } from '../../http/handlers.ts';

/** What the pages of the instance API are made of. */
export type InstancePagesState = Pick<InstanceState, 'records' | 'files'> & {
  /** The operations themselves: a page shows what they answer, and takes nothing from the user's limits. */
  operations: Handlers<typeof instance>;
  /** Sends a request to the service in process, as a client does. */
  fetch: (request: Request) => Response | Promise<Response>;
  /** The key of the first user, which pages read by and forms send with. */
  key: string;
};

/** Who reads the pages: the user of the key, with its scopes. */
export const reader = ({ records, key }: Pick<InstancePagesState, 'records' | 'key'>): CallContext => {
  const caller = callerOf(records, 'instance', key);
  if (!caller)
    throw new HttpError(401, 'the key in instance-admin-key was revoked, by which these pages read: portolan service keys makes others');
  const { userId, organizationId, role, scopes } = caller;
  return { requestId: randomUUID(), userId, organizationId, keyRole: role, scopes, origin: '', headers: new Headers() };
};
