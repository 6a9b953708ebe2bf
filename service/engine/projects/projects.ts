import { isoTime } from '../../core/clock.ts';
import { HttpError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';
import { administers } from '../../core/records/organizations.ts';
import { setByUser } from '../by-user.ts';
import type { Owner } from '../files/folders.ts';

export type WorkProject = {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  project_number: string | null;
  created_at: string;
  updated_at: string;
};

export type ProjectRole = 'admin' | 'editor' | 'viewer';

export type ProjectFields = {
  name?: string | undefined;
  description?: string | null | undefined;
  projectNumber?: string | null | undefined;
};

/** Projects of the instance API: who may do what with them. */
export const createWorkProjects = (records: Records) => {
  const roleOf = (projectId: string, userId: string): ProjectRole | undefined =>
    records.get<{ role: ProjectRole }>('SELECT role FROM work_members WHERE project_id = ? AND user_id = ?', projectId, userId)?.role;

  /** The project; 404 where the caller may not read it, as where there is none. */
  const readable = (caller: Owner, id: string): WorkProject => {
    const project = records.get<WorkProject>('SELECT * FROM work_projects WHERE id = ? AND organization_id = ?', id, caller.organizationId);
    if (!project || !(roleOf(id, caller.userId) || administers(records, caller))) throw notFound('project', id);
    return project;
  };

  return {
    roleOf,
    readable,
    /** Is the caller an administrator of the project, or of its organization? */
    administered: (caller: Owner, id: string): boolean => roleOf(id, caller.userId) === 'admin' || administers(records, caller),
    /** Adds a project with its first administrator; call inside a transaction. */
    add({ userId, organizationId }: Owner, { name, description, projectNumber }: ProjectFields & { name: string }): WorkProject {
      const id = newId();
      const at = isoTime();
      records.run(
        'INSERT INTO work_projects (id, organization_id, name, description, project_number, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        id,
        organizationId,
        name,
        description ?? null,
        projectNumber ?? null,
        at,
        at,
      );
      records.run("INSERT INTO work_members (project_id, user_id, role) VALUES (?, ?, 'admin')", id, userId);
      return records.get<WorkProject>('SELECT * FROM work_projects WHERE id = ?', id)!;
    },
    /** Changes what is given: undefined stays, null clears. Returns the number of projects changed; call inside a transaction. */
    change(project: WorkProject, { name = project.name, ...fields }: ProjectFields): number {
      const description = fields.description === undefined ? project.description : fields.description;
      const number = fields.projectNumber === undefined ? project.project_number : fields.projectNumber;
      return records.run(
        `UPDATE work_projects SET name = ?1, description = ?2, project_number = ?3, updated_at = ?4
         WHERE id = ?5 AND (name IS NOT ?1 OR description IS NOT ?2 OR project_number IS NOT ?3)`,
        name,
        description,
        number,
        isoTime(),
        project.id,
      );
    },
    /** Sets roles, null removes; 409 where no administrator would be left. Returns the number of members changed; call inside a transaction. */
    setMembers(
      projectId: string,
      entries: readonly { user: string; role: ProjectRole | null }[],
      { keepsOne }: { keepsOne: boolean },
    ): number {
      const changed = setByUser(
        records,
        { table: 'work_members', of: 'project_id', value: 'role' },
        projectId,
        entries.map(({ user, role }) => ({ user, value: role })),
      );
      if (keepsOne && !records.get("SELECT 1 AS yes FROM work_members WHERE project_id = ? AND role = 'admin'", projectId))
        throw new HttpError(409, 'a project keeps at least one administrator: give the role to another member first');
      return changed;
    },
  };
};

export type WorkProjects = ReturnType<typeof createWorkProjects>;
