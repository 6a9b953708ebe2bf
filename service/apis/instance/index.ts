import type { instance } from '../../../contracts/instance/index.ts';
import type { Records } from '../../core/records/database.ts';
import type { Handlers } from '../../http/handlers.ts';
import { createApiKeys } from './api-keys.ts';
import { createUsers } from './users.ts';

/** Every handler of the instance API. */
export const createInstance = (records: Records): Handlers<typeof instance> => ({
  apiKeys: createApiKeys(records),
  users: createUsers(records),
});
