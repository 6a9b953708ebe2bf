import type { instance } from '../../../contracts/instance/index.ts';
import { HttpError } from '../../core/errors.ts';
import { administers, isMember } from '../../core/records/organizations.ts';
import { forgetLimits } from '../../engine/budgets/forget-limits.ts';
import type { ProjectRole, WorkProject } from '../../engine/projects/projects.ts';
import type { Handlers } from '../../http/handlers.ts';
import { checkBatch, membersPage } from './members-page.ts';
import { pageById } from './page-by-id.ts';
import type { InstanceState } from './state.ts';

/** Projects of a page where no limit is named (text). */
const usual = 20;

const view = (row: WorkProject) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  projectNumber: row.project_number,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

type MemberRow = { id: string; email: string; name: string; role: ProjectRole };
const memberView = ({ id, email, name, role }: MemberRow) => ({ id, email, name, image: null, role });

const members = 'FROM work_members JOIN users ON users.id = user_id WHERE project_id = ?';

export const createProjectOperations = ({ records, projects, readings }: InstanceState): Handlers<typeof instance>['projects'] => {
  const list = (id: string, behind = '', count = -1): MemberRow[] =>
    records.all<MemberRow>(`SELECT users.id, email, name, role ${members} AND users.id > ? ORDER BY users.id LIMIT ?`, id, behind, count);
  return {
    list({ search = '', membership = 'any', limit = usual, cursor }, caller) {
      // Not LIKE: what is asked for may hold its wildcards.
      const chosen = `FROM work_projects WHERE organization_id = ? AND (instr(caseless(name), caseless(?)) > 0 OR instr(caseless(coalesce(project_number, '')), caseless(?)) > 0)
        AND (? OR EXISTS (SELECT 1 FROM work_members WHERE project_id = work_projects.id AND user_id = ?))`;
      const all = Number(membership === 'any' && administers(records, caller));
      const values = [caller.organizationId, search, search, all, caller.userId] as const;
      const { total } = records.get<{ total: number }>(`SELECT count(*) AS total ${chosen}`, ...values)!;
      const page = pageById({ limit, cursor }, (behind, count) =>
        records.all<WorkProject>(`SELECT * ${chosen} AND id < ? ORDER BY id DESC LIMIT ?`, ...values, behind, count),
      )(view);
      return { ...page, totalCount: total };
    },
    create({ name, description, projectNumber }, { requestId, userId, organizationId }) {
      const operation = 'instance.projects.create';
      const content = { name, description, projectNumber };
      return records.effect({ requestId, operation, subject: `project of ${organizationId}/${name}`, content }, () => ({
        changed: 1,
        value: view(projects.add({ userId, organizationId }, { name, description, projectNumber })),
      }));
    },
    get: ({ id }, caller) => view(projects.readable(caller, id)),
    update({ id, ...fields }, caller) {
      const project = projects.readable(caller, id);
      if (!projects.administered(caller, id))
        throw new HttpError(403, 'changing a project needs its role admin, or an administrator of the organization');
      const { requestId } = caller;
      return records.effect({ requestId, operation: 'instance.projects.update', subject: `project/${id}`, content: fields }, () => ({
        changed: projects.change(project, fields),
        value: view(projects.readable(caller, id)),
      }));
    },
    members({ id, ...asked }, caller) {
      projects.readable(caller, id);
      const { total } = records.get<{ total: number }>(`SELECT count(*) AS total ${members}`, id)!;
      return membersPage(asked, (behind, count) => list(id, behind, count), memberView, total);
    },
    setMembers({ id, members: entries }, caller) {
      projects.readable(caller, id);
      if (projects.roleOf(id, caller.userId) !== 'admin')
        throw new HttpError(403, 'changing the members of a project needs its role admin');
      // Who has left the organization stays as listed, or can be taken out; nobody else comes in.
      checkBatch(entries, ({ user, role }) =>
        role === null || role === projects.roleOf(id, user) || isMember(records, user, caller.organizationId)
          ? undefined
          : 'is no member of the organization',
      );
      const { requestId } = caller;
      const content = Object.fromEntries(entries.map(({ user, role }) => [user, role]));
      return records.effect({ requestId, operation: 'instance.projects.setMembers', subject: `members of project/${id}`, content }, () => {
        const changed = projects.setMembers(id, entries, { keepsOne: readings.of('last-administrator') === 'kept' });
        const left = entries.filter(({ role }) => role === null).map(({ user }) => user);
        forgetLimits(records, { projectId: id }, left);
        return { changed, value: list(id).map(memberView) };
      });
    },
  };
};
