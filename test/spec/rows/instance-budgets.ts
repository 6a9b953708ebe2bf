import { expect } from 'vitest';
import { workProject } from './instance-projects.ts';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

const budget = async (at: Shown) => {
  const { id: projectId } = await workProject(at);
  return { projectId, ...(await at.invoke('instance.budgets.create', { projectId, amountCents: 500 })) };
};

export const instanceBudgets = {
  'instance.budgets.list': {
    readBack: 'instance.budgets.get',
    async run(at) {
      const { id, projectId } = await budget(at);
      const { data, nextCursor, totalCount } = await at.invoke('instance.budgets.list', { projectId });
      expect([data.map((each) => each.id), nextCursor, totalCount]).toEqual([[id], null, 1]);
      expect(await at.invoke('instance.budgets.get', { id })).toEqual(data[0]);
      expect(
        await at.refused(
          at.withKey((await at.user({ service: 'instance', scopes: ['developer:files'] })).token)('instance.budgets.list', {}),
        ),
      ).toBe(403);
    },
  },
  'instance.budgets.create': {
    readBack: 'instance.budgets.get',
    async run(at) {
      const before = await at.invoke('instance.budgets.get', { id: 'organization' });
      const { id: projectId, name } = await workProject(at);
      const made = await at.invoke('instance.budgets.create', {
        projectId,
        amountCents: 700,
        onExhausted: 'block',
        renewal: { cadence: 'weekly', amountCents: 100 },
        memberLimits: { enabled: true, defaultCents: 50, period: 'daily' },
      });
      expect(await at.invoke('instance.budgets.get', { id: made.id })).toMatchObject({
        name,
        parentId: before.id,
        scope: { type: 'project', projectBudgetsEnabled: true },
        funding: { amountCents: 700, spentCents: 0, remainingCents: 700, renewal: { cadence: 'weekly', amountCents: 100 } },
        onExhausted: 'block',
        memberLimits: { enabled: true, defaultCents: 50, period: 'daily', resetsAt: expect.stringMatching(/T00:00:00/) },
      });
      const after = await at.invoke('instance.budgets.get', { id: 'organization' });
      expect(before.funding.amountCents - after.funding.amountCents).toBe(700);
      expect(await at.refused(at.invoke('instance.budgets.create', { projectId, amountCents: 1 }))).toBe(409);
    },
  },
  'instance.budgets.get': {
    readBack: 'instance.budgets.list',
    async run(at) {
      const { id } = await budget(at);
      const found = await at.invoke('instance.budgets.get', { id });
      expect(found.funding).toMatchObject({ amountCents: 500, spentCents: 0, remainingCents: 500 });
      expect((await at.invoke('instance.budgets.list', { scope: 'project' })).data).toContainEqual(found);
      expect(await at.refused(at.invoke('instance.budgets.get', { id: nowhere }))).toBe(404);
    },
  },
  'instance.budgets.update': {
    readBack: 'instance.budgets.get',
    async run(at) {
      const { id } = await budget(at);
      await at.invoke('instance.budgets.update', { id, amountCents: 300, onExhausted: 'notify' });
      expect(await at.invoke('instance.budgets.get', { id })).toMatchObject({ funding: { amountCents: 300 }, onExhausted: 'notify' });
      expect(await at.refused(at.invoke('instance.budgets.update', { id, memberLimits: { enabled: true, defaultCents: 5 } }))).toBe(400);
    },
  },
  'instance.budgets.members': {
    readBack: 'instance.projects.members',
    async run(at) {
      const { id, projectId } = await budget(at);
      const { data, totalCount } = await at.invoke('instance.budgets.members', { id });
      expect(data).toMatchObject([{ limitCents: null, effectiveLimitCents: null, spentCents: 0, status: 'unlimited' }]);
      const members = await at.invoke('instance.projects.members', { id: projectId });
      expect([data.map((each) => each.id), totalCount]).toEqual([members.data.map((each) => each.id), members.totalCount]);
      expect(await at.refused(at.invoke('instance.budgets.members', { id: nowhere }))).toBe(404);
    },
  },
  'instance.budgets.setMembers': {
    readBack: 'instance.budgets.members',
    async run(at) {
      const { id } = await budget(at);
      const [member] = (await at.invoke('instance.budgets.members', { id })).data;
      const user = member!.id;
      const members = [{ user, limitCents: 20 }];
      expect(await at.refused(at.invoke('instance.budgets.setMembers', { id, members }))).toBe(403);
      await at.invoke('instance.budgets.update', { id, memberLimits: { enabled: true, defaultCents: 5, period: 'weekly' } });
      const answer = await at.invoke('instance.budgets.setMembers', { id, members });
      const { data } = await at.invoke('instance.budgets.members', { id });
      expect(data).toEqual(answer);
      expect(data).toMatchObject([{ id: user, limitCents: 20, effectiveLimitCents: 20, status: 'ok' }]);
    },
  },
} satisfies Partial<Rows>;
