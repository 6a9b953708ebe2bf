import { expect } from 'vitest';
import { memberWith, newProject, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';

const place = useInstance();
const budget = async (amountCents: number, more: object = {}) => {
  const { id: projectId } = await newProject(place().owner);
  return place().owner.invoke('instance.budgets.create', { projectId, amountCents, ...more });
};
const get = (id: string) => place().owner.invoke('instance.budgets.get', { id });
const left = async () => (await get('organization')).funding.remainingCents;
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code;

proves(
  ['instance:budget/funding', 'instance:budget/funding#cadence', 'instance:budget/memberLimits'],
  'a budget has these fields',
  async () => {
    const limits = { enabled: true, defaultCents: 5, period: 'daily' };
    const { id } = await budget(100, { renewal: { cadence: 'weekly', amountCents: 9 }, memberLimits: limits });
    const { funding, memberLimits } = await get(id);
    expect(funding).toEqual({ amountCents: 100, spentCents: 0, remainingCents: 100, renewal: { cadence: 'weekly', amountCents: 9 } });
    expect(memberLimits).toEqual({ ...limits, resetsAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/) });
  },
);

proves(
  ['instance:budget/scope#type', 'instance:budget/parentId', 'instance:GET /budgets/{id}.1'],
  'a project budget stands below that of the organization, which is found by its word',
  async () => {
    const { id } = await budget(1);
    const organization = await get('organization');
    expect([organization.scope.type, organization.parentId]).toEqual(['organization', null]);
    expect(await get(organization.id)).toEqual(organization);
    expect(await get(id)).toMatchObject({ parentId: organization.id, scope: { type: 'project' } });
  },
);

proves(
  ['instance:budgets/1', 'instance:budgets/3', 'instance:GET /budgets.1'],
  'administrators of the organization see all budgets on one page',
  async () => {
    const ids = [(await budget(1)).id, (await budget(1)).id, (await get('organization')).id];
    const { data, nextCursor, totalCount } = await place().owner.invoke('instance.budgets.list', {});
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect([nextCursor, totalCount]).toEqual([null, data.length]);
  },
);

proves(
  ['instance:budgets/2', 'instance:GET /budgets#scope', 'instance:GET /budgets#projectId'],
  'who administers a project sees its budget alone',
  async () => {
    const some = await memberWith(place());
    const { id: projectId } = await newProject(some);
    const { id } = await place().owner.invoke('instance.budgets.create', { projectId, amountCents: 1 });
    await budget(1);
    for (const asked of [{}, { scope: 'project' as const }, { projectId }])
      expect((await some.invoke('instance.budgets.list', asked)).data.map((each) => each.id)).toEqual([id]);
    expect((await some.invoke('instance.budgets.list', { scope: 'organization' })).data).toEqual([]);
  },
);

proves(
  ['instance:budgets/4', 'instance:budgets/8'],
  'what a budget is given comes from that of the organization, and goes back there',
  async () => {
    const before = await left();
    const { id } = await budget(300);
    expect(await left()).toBe(before - 300);
    await place().owner.invoke('instance.budgets.update', { id, amountCents: 100, onExhausted: 'notify' });
    expect(await left()).toBe(before - 100);
  },
);

proves(['instance:budgets/5'], 'what the organization cannot cover is not created', async () => {
  const { id: projectId } = await newProject(place().owner);
  const before = await place().owner.invoke('instance.budgets.list', {});
  const amountCents = (await left()) + 1;
  expect(await codeOf(place().owner.invoke('instance.budgets.create', { projectId, amountCents }))).toBe('insufficient_funds');
  expect(await place().owner.invoke('instance.budgets.list', {})).toEqual(before);
});

proves(['instance:budgets/6'], 'where budgets of projects are turned off none is created', async () => {
  const { id: projectId } = await newProject(place().owner);
  await place().api.post('/__control/contract', { projectBudgets: false });
  expect(await codeOf(place().owner.invoke('instance.budgets.create', { projectId, amountCents: 1 }))).toBe('project_budgets_disabled');
  await place().api.post('/__control/contract', { projectBudgets: true });
  expect(await place().owner.invoke('instance.budgets.create', { projectId, amountCents: 1 })).toMatchObject({
    funding: { amountCents: 1 },
  });
});

proves(['instance:budgets/7'], 'a budget needs an administrator of the project, its money one of the organization', async () => {
  const [first, viewer] = [await memberWith(place()), await memberWith(place())];
  const { id: projectId } = await newProject(first);
  await first.invoke('instance.projects.setMembers', { id: projectId, members: [{ user: viewer.id, role: 'viewer' }] });
  const create = (by: typeof first, amountCents: number) => by.invoke('instance.budgets.create', { projectId, amountCents });
  expect((await refusalOf(create(viewer, 0))).status).toBe(403);
  expect((await refusalOf(create(first, 1))).status).toBe(403);
  expect(await create(first, 0)).toMatchObject({ funding: { amountCents: 0 } });
});

proves(['instance:budgets/9'], 'of the budget of the organization nothing but the limits of members changes', async () => {
  const before = await get('organization');
  for (const change of [{ amountCents: 1 }, { renewal: { cadence: 'daily' as const, amountCents: 1 } }])
    expect(await codeOf(place().owner.invoke('instance.budgets.update', { id: 'organization', ...change }))).toBe(
      'organization_budget_contract_funded',
    );
  expect(await get('organization')).toEqual(before);
  await place().owner.invoke('instance.budgets.update', {
    id: 'organization',
    memberLimits: { enabled: true, defaultCents: 900, period: 'monthly' },
  });
  expect((await get('organization')).memberLimits).toMatchObject({ enabled: true, defaultCents: 900, period: 'monthly' });
});

proves(
  ['instance:budgets/10', 'instance:budgets/14'],
  'a limit is for a member of the budget, and a batch with somebody else sets none',
  async () => {
    const { id } = await budget(10, { memberLimits: { enabled: true } });
    const [me] = (await place().owner.invoke('instance.budgets.members', { id })).data;
    const { id: other } = await memberWith(place());
    const batch = [
      { user: me!.id, limitCents: 3 },
      { user: other, limitCents: 3 },
    ];
    expect((await refusalOf(place().owner.invoke('instance.budgets.setMembers', { id, members: batch }))).status).toBe(400);
    expect((await place().owner.invoke('instance.budgets.members', { id })).data).toMatchObject([{ limitCents: null }]);
    const { id: organization } = await place().owner.invoke('instance.budgets.update', {
      id: 'organization',
      memberLimits: { enabled: true },
    });
    const set = await place().owner.invoke('instance.budgets.setMembers', { id: organization, members: [{ user: other, limitCents: 3 }] });
    expect(set.find((each) => each.id === other)).toMatchObject({ limitCents: 3 });
  },
);

proves(
  ['instance:budgets/11', 'instance:budgets/12', 'instance:budget/1'],
  'null clears a limit, and the default applies; a repeat changes nothing',
  async () => {
    const { id } = await budget(10, { memberLimits: { enabled: true, defaultCents: 7, period: 'weekly' } });
    const [me] = (await place().owner.invoke('instance.budgets.members', { id })).data;
    const set = (limitCents: number | null) =>
      place().owner.invoke('instance.budgets.setMembers', { id, members: [{ user: me!.id, limitCents }] });
    const own = await set(3);
    expect(own).toMatchObject([{ id: me!.id, email: me!.email, limitCents: 3, effectiveLimitCents: 3, spentCents: 0, status: 'ok' }]);
    expect(await set(3)).toEqual(own);
    expect(await set(null)).toMatchObject([{ limitCents: null, effectiveLimitCents: 7 }]);
  },
);

proves(['instance:budgets/13'], 'limits of members must be enabled', async () => {
  const { id } = await budget(1);
  expect(await codeOf(place().owner.invoke('instance.budgets.setMembers', { id, members: [] }))).toBe('member_limits_disabled');
});

proves(['instance:errors/1'], 'each of the six codes comes for what it says', async () => {
  const { invoke } = place().owner;
  const { id } = await budget(1);
  const [{ id: projectId }, { id: other }] = [await newProject(place().owner), await newProject(place().owner)];
  await invoke('instance.budgets.create', { projectId, amountCents: 1 });
  expect(await codeOf(invoke('instance.budgets.update', { id, memberLimits: { defaultCents: 5 } }))).toBe('invalid_budget_change');
  expect(await codeOf(invoke('instance.budgets.create', { projectId, amountCents: 1 }))).toBe('budget_exists');
  expect(await codeOf(invoke('instance.budgets.update', { id, amountCents: 1_000_000_000 }))).toBe('insufficient_funds');
  await place().api.post('/__control/contract', { projectBudgets: false });
  expect(await codeOf(invoke('instance.budgets.create', { projectId: other, amountCents: 1 }))).toBe('project_budgets_disabled');
  await place().api.post('/__control/contract', { projectBudgets: true });
  expect(await codeOf(invoke('instance.budgets.update', { id: 'organization', amountCents: 1 }))).toBe(
    'organization_budget_contract_funded',
  );
  expect(await codeOf(invoke('instance.budgets.setMembers', { id, members: [] }))).toBe('member_limits_disabled');
});

proves(
  ['instance:limits/limit-default-50-max-100'],
  'a page has 50 members of a project or a budget, up to 100 where they are asked for',
  async () => {
    const { invoke } = place().owner;
    const { id: projectId } = await newProject(place().owner);
    const people = await Promise.all(Array.from({ length: 50 }, () => memberWith(place())));
    await invoke('instance.projects.setMembers', {
      id: projectId,
      members: people.map(({ id: user }) => ({ user, role: 'viewer' as const })),
    });
    const { id } = await invoke('instance.budgets.create', { projectId, amountCents: 1 });
    const headers = { authorization: `Bearer ${place().service.adminKeys.instance}` };
    for (const [operation, of, path] of [
      ['instance.projects.members', projectId, 'projects'],
      ['instance.budgets.members', id, 'budgets'],
    ] as const) {
      expect((await invoke(operation, { id: of })).data).toHaveLength(50);
      expect((await invoke(operation, { id: of, limit: 100 })).data).toHaveLength(51);
      expect((await place().api.get(`/api/v0/${path}/${of}/members?limit=101`, headers)).status).toBe(400);
    }
  },
);
