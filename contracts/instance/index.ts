import type { ServiceContract } from '../service.ts';
import { defineProbe } from '../service.ts';
import * as agents from './agents.ts';
import * as apiKeys from './api-keys.ts';
import * as budgets from './budgets.ts';
import * as codes from './codes.ts';
import { errors } from './errors.ts';
import * as files from './files.ts';
import * as parse from './parse.ts';
import * as projects from './projects.ts';
import * as users from './users.ts';
import * as workflows from './workflows.ts';

/** The instance API: every operation that Portolan knows, by resource. */
export const instance = {
  apiKeys: { list: apiKeys.list, revoke: apiKeys.revoke },
  users: { list: users.list, get: users.get, disable: users.disable, enable: users.enable },
  agents: {
    list: agents.list,
    launch: agents.launch,
    get: agents.get,
    remove: agents.remove,
    conversation: agents.conversation,
    usage: agents.getUsage,
    artifact: agents.getArtifact,
    export: agents.exportArtifact,
    stop: agents.stop,
    followup: agents.followup,
  },
  files: { search: files.search, status: files.status, tempFolder: files.tempFolder, upload: files.upload },
  projects: {
    list: projects.list,
    create: projects.create,
    get: projects.get,
    update: projects.update,
    members: projects.members,
    setMembers: projects.setMembers,
  },
  workflows: {
    list: workflows.list,
    create: workflows.create,
    get: workflows.get,
    update: workflows.update,
    versions: workflows.versions,
    release: workflows.release,
  },
  budgets: {
    list: budgets.list,
    create: budgets.create,
    get: budgets.get,
    update: budgets.update,
    members: budgets.members,
    setMembers: budgets.setMembers,
  },
  parse: { submit: parse.submit, get: parse.get },
  codes: { search: codes.search },
} as const;

export const instanceService = {
  title: 'instance API',
  api: instance,
  keyPrefix: 'npk_',
  prefix: '/api/v0/',
  errors,
  // The API has no read of the key's own user; a key without the scope is refused by 403, which says that it is known.
  probe: defineProbe(apiKeys.list, { limit: 1 }, () => undefined),
} as const satisfies ServiceContract;
