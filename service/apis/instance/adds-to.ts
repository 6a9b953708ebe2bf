import { HttpError } from '../../core/errors.ts';
import { administers } from '../../core/records/organizations.ts';
import type { WorkProject } from '../../engine/projects/projects.ts';
import type { Owner } from '../../engine/files/folders.ts';
import type { InstanceState } from './state.ts';

/**
 * The project, where the caller may add to it and spend its budget: 404 where they may not read it, 403 where they only may read it
 * (assumption `viewer-spends`).
 */
export function addsTo(
  { records, projects, readings }: Pick<InstanceState, 'records' | 'projects' | 'readings'>,
  caller: Owner,
  projectId: string,
): WorkProject {
  const project = projects.readable(caller, projectId);
  if (projects.roleOf(projectId, caller.userId) === 'viewer' && !administers(records, caller) && readings.of('viewer-spends') === 'refused')
    throw new HttpError(403, 'a viewer of the project adds nothing to it and spends none of its budget: that needs its role editor');
  return project;
}
