import { blobs } from './blobs.ts';
import { data } from './data.ts';
import { identity } from './identity.ts';
import { documents } from './documents.ts';
import { indices } from './indices.ts';
import { keys } from './keys.ts';
import { mapTags } from './map-tags.ts';
import { members } from './members.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';
import type { OperationName } from '../../../contracts/index.ts';
import { instanceAgents } from './instance-agents.ts';
import { instanceBudgets } from './instance-budgets.ts';
import { instanceCodes } from './instance-codes.ts';
import { instanceFiles } from './instance-files.ts';
import { instanceKeys } from './instance-keys.ts';
import { instanceParse } from './instance-parse.ts';
import { instanceProjects } from './instance-projects.ts';
import { instanceUsers } from './instance-users.ts';
import { instanceWorkflows } from './instance-workflows.ts';
import type { Rows } from './row.ts';
import { resources } from './resources.ts';
import { search } from './search.ts';
import { uploads } from './uploads.ts';
import { usage } from './usage.ts';
import { user } from './user.ts';
import { viewers } from './viewers.ts';

/** Every operation of both APIs, with what shows that it is there: docs/api-coverage.md is written from it, and from the texts. */
export const rows: Rows = {
  ...user,
  ...identity,
  ...organizations,
  ...members,
  ...usage,
  ...keys,
  ...projects,
  ...data,
  ...blobs,
  ...uploads,
  ...indices,
  ...resources,
  ...search,
  ...viewers,
  ...instanceKeys,
  ...instanceUsers,
  ...instanceFiles,
  ...mapTags,
  ...instanceAgents,
  ...documents,
  ...instanceProjects,
  ...instanceWorkflows,
  ...instanceBudgets,
  ...instanceParse,
  ...instanceCodes,
};

export const rowNames = Object.keys(rows) as OperationName[];
