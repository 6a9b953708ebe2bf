import type { instance } from '../../../contracts/instance/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { createAgentOperations } from './agents.ts';
import { createApiKeys } from './api-keys.ts';
import { createBudgetOperations } from './budgets.ts';
import { createCodeOperations } from './codes.ts';
import { createFileOperations } from './files.ts';
import { createParseOperations } from './parse.ts';
import { createProjectOperations } from './projects.ts';
import type { InstanceState } from './state.ts';
import { createUsers } from './users.ts';
import { createWorkflowOperations } from './workflows.ts';

/** Every handler of the instance API. */
export const createInstance = (state: InstanceState): Handlers<typeof instance> => ({
  apiKeys: createApiKeys(state.records),
  users: createUsers(state),
  files: createFileOperations(state),
  agents: createAgentOperations(state),
  projects: createProjectOperations(state),
  workflows: createWorkflowOperations(state),
  budgets: createBudgetOperations(state),
  parse: createParseOperations(state),
  codes: createCodeOperations(state),
});
