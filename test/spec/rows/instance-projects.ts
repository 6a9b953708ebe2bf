import { expect } from 'vitest';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

let made = 0;
export const workProject = (at: Shown): Promise<{ id: string; name: string }> =>
  at.invoke('instance.projects.create', { name: `Bridge ${++made}`, projectNumber: `B-${made}` });

const ada = (at: Shown) => at.user({ service: 'instance' });

export const instanceProjects = {
  'instance.projects.list': {
    readBack: 'instance.projects.get',
    async run(at) {
      const { id, name } = await workProject(at);
      const { data, totalCount, nextCursor } = await at.invoke('instance.projects.list', { search: name.toUpperCase() });
      expect([data.map((each) => each.id), totalCount, nextCursor]).toEqual([[id], 1, null]);
      expect(await at.invoke('instance.projects.get', { id })).toEqual(data[0]);
      const { token } = await at.user({ service: 'instance', scopes: ['developer:projects:create'] });
      expect(await at.refused(at.withKey(token)('instance.projects.list', {}))).toBe(403);
    },
  },
  'instance.projects.create': {
    readBack: 'instance.projects.members',
    async run(at) {
      const { id: user, token } = await ada(at);
      const { id } = await at.withKey(token)('instance.projects.create', { name: 'Own', description: 'of Ada' });
      expect((await at.withKey(token)('instance.projects.members', { id })).data).toMatchObject([{ id: user, role: 'admin' }]);
      expect(
        await at.refused(
          at.withKey((await at.user({ service: 'instance', scopes: ['developer:projects:read'] })).token)('instance.projects.create', {
            name: 'x',
          }),
        ),
      ).toBe(403);
    },
  },
  'instance.projects.get': {
    readBack: 'instance.projects.list',
    async run(at) {
      const { id, name } = await workProject(at);
      const found = await at.invoke('instance.projects.get', { id });
      expect(found).toMatchObject({ id, name, description: null });
      expect((await at.invoke('instance.projects.list', { search: name })).data).toEqual([found]);
      expect(await at.refused(at.withKey((await ada(at)).token)('instance.projects.get', { id }))).toBe(404);
    },
  },
  'instance.projects.update': {
    readBack: 'instance.projects.get',
    async run(at) {
      const { id, name } = await workProject(at);
      await at.invoke('instance.projects.update', { id, description: 'of stone' });
      await at.invoke('instance.projects.update', { id, projectNumber: null });
      expect(await at.invoke('instance.projects.get', { id })).toMatchObject({ name, description: 'of stone', projectNumber: null });
      expect(await at.refused(at.invoke('instance.projects.update', { id: nowhere, name: 'x' }))).toBe(404);
    },
  },
  'instance.projects.members': {
    readBack: 'instance.projects.setMembers',
    async run(at) {
      const { id } = await workProject(at);
      const { id: user } = await ada(at);
      await at.invoke('instance.projects.setMembers', { id, members: [{ user, role: 'viewer' }] });
      const { data, totalCount } = await at.invoke('instance.projects.members', { id });
      expect([totalCount, data.find((each) => each.id === user)?.role]).toEqual([2, 'viewer']);
      expect(await at.invoke('instance.projects.setMembers', { id, members: [] })).toEqual(data);
      expect(await at.refused(at.invoke('instance.projects.members', { id: nowhere }))).toBe(404);
    },
  },
  'instance.projects.setMembers': {
    readBack: 'instance.projects.members',
    async run(at) {
      const { id } = await workProject(at);
      const { id: user, email } = await ada(at);
      const answer = await at.invoke('instance.projects.setMembers', { id, members: [{ user, role: 'editor' }] });
      const { data } = await at.invoke('instance.projects.members', { id });
      expect(data).toEqual(answer);
      expect(data.find((each) => each.id === user)).toMatchObject({ email, role: 'editor' });
      expect(await at.refused(at.invoke('instance.projects.setMembers', { id, members: [{ user: nowhere, role: 'viewer' }] }))).toBe(400);
    },
  },
} satisfies Partial<Rows>;
