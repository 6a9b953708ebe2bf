import type { instance } from '../../../contracts/instance/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { createAgentOperations } from './agents.ts';
import { createApiKeys } from './api-keys.ts';
import { createFileOperations } from './files.ts';
import type { InstanceState } from './state.ts';
import { createUsers } from './users.ts';

/** Every handler of the instance API. */
export const createInstance = (state: InstanceState): Handlers<typeof instance> => ({
  apiKeys: createApiKeys(state.records),
  users: createUsers(state.records),
  files: createFileOperations(state),
  agents: createAgentOperations(state),
});
