import { expect } from 'vitest';
import { z } from 'zod';
import { answered, asking, flag, once, text, time, uuid, whole } from './instance-fields.ts';
import { memberWith, newProject, plain, useInstance } from './instance-place.ts';
import { refusalOf, statusesOf } from './place.ts';
import { proves } from './proves.ts';
import { nowhere } from './rows/made.ts';

const place = useInstance();
const owner = () => place().owner;
const api = () => plain(place());
const get = async (id: string) => (await api().get(`/api/v0/budgets/${id}`)).body.data;
const memberLimits = { enabled: true, defaultCents: 50, period: 'daily' } as const;

let runs = 0;
const spend = (projectId: string, cents: number, user?: string) =>
  place().api.post('/__control/runs', { run: `spent-${++runs}`, projectId, nanoUsd: cents * 10_000_000, ...(user ? { user } : {}) });

const made = once(async () => {
  const project = await newProject(owner());
  const { id } = await owner().invoke('instance.budgets.create', {
    projectId: project.id,
    amountCents: 700,
    onExhausted: 'block',
    renewal: { cadence: 'weekly', amountCents: 100 },
    memberLimits,
  });
  await spend(project.id, 30);
  return { id, project };
});
const budget = answered(async () => get((await made()).id));

proves(['instance:budget/id'], 'a budget has an id', budget('id', uuid));
proves(['instance:budget/name'], 'the budget of a project has its name', async () => {
  const { id, project } = await made();
  expect((await get(id)).name).toBe(project.name);
});
proves(['instance:budget/scope'], 'a budget is of the organization or of a project', async () => {
  expect([(await get('organization')).scope.type, (await get((await made()).id)).scope.type]).toEqual(['organization', 'project']);
});
proves(['instance:budget/scope#projectBudgetsEnabled'], 'a budget says whether projects may have budgets', async () => {
  const says = async () => (await get('organization')).scope.projectBudgetsEnabled;
  const before = await says();
  await place().api.post('/__control/contract', { projectBudgets: false });
  const off = await says();
  await place().api.post('/__control/contract', { projectBudgets: true });
  expect([before, off, await says()]).toEqual([true, false, true]);
});
proves(
  ['instance:budget/funding#amountCents', 'instance:budget/funding#spentCents', 'instance:budget/funding#remainingCents'],
  'what remains of a budget is its amount without what was spent, in whole cents',
  async () => {
    const { funding } = await get((await made()).id);
    expect(funding).toMatchObject({ amountCents: 700, spentCents: 30, remainingCents: 670 });
    for (const field of ['amountCents', 'spentCents', 'remainingCents', 'renewal.amountCents']) await budget(`funding.${field}`, whole)();
  },
);
proves(['instance:budget/onExhausted'], 'a budget says what happens when it is exhausted', budget('onExhausted', text));
proves(['instance:budget/memberLimits#enabled'], 'member limits are enabled or not', budget('memberLimits.enabled', flag));
proves(['instance:budget/memberLimits#defaultCents'], 'member limits have a default', budget('memberLimits.defaultCents', z.literal(50)));
proves(['instance:budget/memberLimits#period'], 'member limits have a period', budget('memberLimits.period', z.literal('daily')));
proves(['instance:budget/memberLimits#resetsAt'], 'member limits say when their period ends, and begin anew then', async () => {
  const project = await newProject(owner());
  const { id } = await owner().invoke('instance.budgets.create', { projectId: project.id, amountCents: 100, memberLimits });
  await spend(project.id, 5);
  const spent = async () => (await owner().invoke('instance.budgets.members', { id })).data[0]!.spentCents;
  const resets = Date.parse((await get(id)).memberLimits.resetsAt);
  const now = Date.now();
  expect([resets > now, resets - now <= 86_400_000, resets % 86_400_000]).toEqual([true, true, 0]);
  expect(await spent()).toBe(5);
  await place().api.post('/__control/clock', { offsetSeconds: Math.ceil((resets - now) / 1_000) + 60 });
  expect(await spent()).toBe(0);
  expect(Date.parse((await get(id)).memberLimits.resetsAt)).toBe(resets + 86_400_000);
  await place().api.post('/__control/clock', { offsetSeconds: 0 });
});
proves(['instance:budget/1#status'], 'a member is unlimited, within the limit or beyond it', async () => {
  const project = await newProject(owner());
  const { id } = await owner().invoke('instance.budgets.create', { projectId: project.id, amountCents: 100 });
  const status = async () => (await owner().invoke('instance.budgets.members', { id })).data[0]!.status;
  const seen = [await status()];
  await owner().invoke('instance.budgets.update', { id, memberLimits: { enabled: true, defaultCents: 5, period: 'daily' } });
  seen.push(await status());
  await spend(project.id, 5);
  seen.push(await status());
  expect(seen).toEqual(['unlimited', 'ok', 'exceeded']);
});

/** Creates the budget of a project of its own. */
const create = asking(
  (body) => api().post('/api/v0/budgets', body),
  async () => ({ projectId: (await newProject(owner())).id, amountCents: 3 }),
);
const back =
  (...path: string[]) =>
  async ({ data }: { data: { id: string } }): Promise<unknown> =>
    path.reduce((value: Record<string, unknown>, name) => value[name] as Record<string, unknown>, await get(data.id));
const noCents = ['3', -1, 1.5, null, 1e15];

proves(['instance:POST /budgets#projectId'], 'a budget is made for a project that is there', async () => {
  const { id: projectId } = await newProject(owner());
  await create('projectId', projectId, [7, 'no id', null], async ({ data }) => {
    const { data: of } = (await api().get(`/api/v0/budgets?projectId=${projectId}`)).body;
    return of[0].id === data.id ? projectId : of;
  })();
  expect((await api().post('/api/v0/budgets', { projectId: nowhere, amountCents: 1 })).status).toBe(404);
});
proves(
  ['instance:POST /budgets#amountCents'],
  'a budget is made with an amount',
  create('amountCents', 5, noCents, back('funding', 'amountCents')),
);
proves(['instance:POST /budgets#onExhausted'], 'a budget is made to block or to notify', async () => {
  await create('onExhausted', 'block', [7, 'other'], back('onExhausted'))();
  await create('onExhausted', 'notify', [], back('onExhausted'))();
});
proves(
  ['instance:POST /budgets#renewal', 'instance:POST /budgets#cadence'],
  'a budget may be made with a renewal, which has a cadence and an amount',
  async () => {
    for (const cadence of ['daily', 'weekly', 'monthly'])
      await create('renewal', { cadence, amountCents: 2 }, [7, {}, { cadence }, { amountCents: 2 }], back('funding', 'renewal'))();
    for (const wrong of [{ cadence: 'yearly', amountCents: 2 }, ...noCents.map((amountCents) => ({ cadence: 'daily', amountCents }))])
      expect([
        wrong,
        (await api().post('/api/v0/budgets', { projectId: (await newProject(owner())).id, amountCents: 1, renewal: wrong })).status,
      ]).toEqual([wrong, 400]);
  },
);
proves(
  ['instance:POST /budgets#memberLimits', 'instance:POST /budgets#enabled'],
  'a budget may be made with limits of its members, on or off',
  async () => {
    await create('memberLimits.enabled', true, ['yes', 1], back('memberLimits', 'enabled'))();
    await create('memberLimits.enabled', false, [], back('memberLimits', 'enabled'))();
    const { id: projectId } = await newProject(owner());
    for (const wrong of [7, { other: 1 }])
      expect((await api().post('/api/v0/budgets', { projectId, amountCents: 1, memberLimits: wrong })).status).toBe(400);
  },
);
proves(
  ['instance:POST /budgets#defaultCents', 'instance:POST /budgets#period'],
  'the default limit of members is in cents, and holds for a period',
  async () => {
    const withPeriod = asking(
      (body) => api().post('/api/v0/budgets', body),
      async () => ({ projectId: (await newProject(owner())).id, amountCents: 3, memberLimits }),
    );
    await withPeriod('memberLimits.defaultCents', 9, ['9', -1, 1.5], back('memberLimits', 'defaultCents'))();
    for (const period of ['daily', 'weekly', 'monthly'])
      await withPeriod('memberLimits.period', period, ['yearly', 7], back('memberLimits', 'period'))();
  },
);

proves(['instance:POST /budgets.1', 'instance:POST /budgets#data'], 'a new budget is answered as it is read', async () => {
  const { id: projectId } = await newProject(owner());
  const { status, body } = await api().post('/api/v0/budgets', { projectId, amountCents: 1 });
  expect([status, Object.keys(body), body.data]).toEqual([201, ['data'], await get(body.data.id)]);
});
proves(['instance:GET /budgets/{id}.2', 'instance:GET /budgets/{id}#data'], 'a budget has these fields', async () => {
  const { status, body } = await api().get(`/api/v0/budgets/${(await made()).id}`);
  expect([status, Object.keys(body), Object.keys(body.data).toSorted()]).toEqual([
    200,
    ['data'],
    ['funding', 'id', 'memberLimits', 'name', 'onExhausted', 'parentId', 'scope'],
  ]);
});
proves(['instance:POST /budgets/{id}.1', 'instance:POST /budgets/{id}#data'], 'a changed budget is answered as it is read', async () => {
  const { id } = await made();
  const before = await get(id);
  const { status, body } = await api().post(`/api/v0/budgets/${id}`, { memberLimits: { defaultCents: 60 } });
  expect([status, Object.keys(body), body.data]).toEqual([200, ['data'], await get(id)]);
  expect(body.data.memberLimits.defaultCents).toBe(60);
  await api().post(`/api/v0/budgets/${id}`, { memberLimits: { defaultCents: 50 } });
  expect(await get(id)).toEqual(before);
});
proves(
  ['instance:GET /budgets#data', 'instance:GET /budgets#nextCursor', 'instance:GET /budgets#totalCount'],
  'all budgets are one page, whose cursor is null, with the number of all',
  async () => {
    await made();
    const { status, body } = await api().get('/api/v0/budgets');
    expect([status, Object.keys(body).toSorted(), body.nextCursor]).toEqual([200, ['data', 'nextCursor', 'totalCount'], null]);
    expect([body.totalCount, body.data.filter((each: { parentId: string | null }) => each.parentId === null).length]).toEqual([
      body.data.length,
      1,
    ]);
    const projects = (await api().get('/api/v0/budgets?scope=project')).body;
    expect([projects.totalCount, projects.data.length]).toEqual([body.totalCount - 1, body.totalCount - 1]);
  },
);

const limits = async (id: string, members: unknown) => api().post(`/api/v0/budgets/${id}/members`, { members });

proves(
  [
    'instance:POST /budgets/{id}/members#members',
    'instance:POST /budgets/{id}/members#user',
    'instance:POST /budgets/{id}/members#limitCents',
  ],
  'a batch sets limits of users by their ids, in cents or null',
  async () => {
    const { id } = await made();
    const user = (await owner().invoke('instance.budgets.members', { id })).data[0]!.id;
    for (const limitCents of [0, 7, null])
      expect((await limits(id, [{ user, limitCents }])).body.data).toMatchObject([
        { id: user, limitCents, effectiveLimitCents: limitCents ?? 50 },
      ]);
    for (const wrong of [
      [{ user, limitCents: '7' }],
      [{ user, limitCents: -1 }],
      [{ user, limitCents: 1.5 }],
      [{ user }],
      [{ limitCents: 7 }],
      [{ user: 'no id', limitCents: 7 }],
      [{ user: nowhere, limitCents: 7 }],
      [
        { user, limitCents: 7 },
        { user, limitCents: 8 },
      ],
      {},
      undefined,
    ])
      expect([wrong, (await limits(id, wrong)).status]).toEqual([wrong, 400]);
    expect((await owner().invoke('instance.budgets.members', { id })).data).toMatchObject([{ limitCents: null }]);
  },
);
proves(
  ['instance:POST /budgets/{id}/members.1', 'instance:POST /budgets/{id}/members#data'],
  'limits that are set are answered as the list of all members',
  async () => {
    const { id } = await made();
    const { status, body } = await limits(id, []);
    expect([status, Object.keys(body), body.data]).toEqual([
      200,
      ['data'],
      (await owner().invoke('instance.budgets.members', { id })).data,
    ]);
    expect(Object.keys(body.data[0]).toSorted()).toEqual([
      'effectiveLimitCents',
      'email',
      'id',
      'limitCents',
      'name',
      'spentCents',
      'status',
    ]);
  },
);

proves(
  ['instance:budgets/15', 'instance:authentication/9'],
  'a budget is read and changed by who administers it, and not there for anybody else',
  async () => {
    const { id, project } = await made();
    const people = { viewer: await memberWith(place()), editor: await memberWith(place()), nobody: await memberWith(place()) };
    const roles = ['viewer', 'editor'] as const;
    await owner().invoke('instance.projects.setMembers', {
      id: project.id,
      members: roles.map((role) => ({ user: people[role].id, role })),
    });
    const before = await get(id);
    for (const by of Object.values(people))
      for (const of of [id, 'organization']) {
        const refused = await statusesOf([
          by.invoke('instance.budgets.get', { id: of }),
          by.invoke('instance.budgets.update', { id: of, memberLimits: { enabled: false } }),
          by.invoke('instance.budgets.members', { id: of }),
          by.invoke('instance.budgets.setMembers', { id: of, members: [] }),
        ]);
        expect(refused).toEqual([404, 404, 404, 404]);
      }
    const { viewer, nobody } = people;
    const other = await newProject(owner());
    await owner().invoke('instance.projects.setMembers', { id: other.id, members: [{ user: viewer.id, role: 'viewer' }] });
    expect((await refusalOf(viewer.invoke('instance.budgets.create', { projectId: other.id, amountCents: 0 }))).status).toBe(403);
    expect((await refusalOf(nobody.invoke('instance.budgets.create', { projectId: other.id, amountCents: 0 }))).status).toBe(404);
    for (const by of Object.values(people)) expect((await by.invoke('instance.budgets.list', {})).data).toEqual([]);
    expect(await get(id)).toEqual(before);
    await budget('memberLimits.resetsAt', time)();
  },
);
