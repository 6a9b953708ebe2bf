import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { centsOf, periodOf } from '../../contracts/instance/periods.ts';
import { createApi, createWorld, unlimited, type Answer, type Api, type World } from './world.ts';

let world: World;
let api: Api;
const contract = 1_000_000;
beforeAll(async () => {
  world = await createWorld();
  await unlimited(world);
  api = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
});
afterAll(async () => world[Symbol.asyncDispose]());

const control = async (path: string, body: object) => (await world.api.post(`/__control/${path}`, body)).body;
const project = async (name = 'p'): Promise<string> => (await api.post('/api/v0/projects', { name })).body.data.id;
const create = (projectId: string, amountCents: number, more: object = {}): Promise<Answer> =>
  api.post('/api/v0/budgets', { projectId, amountCents, ...more });
const budget = async (projectId: string, amountCents: number, more: object = {}): Promise<string> =>
  (await create(projectId, amountCents, more)).body.data.id;
const read = async (id: string) => (await api.get(`/api/v0/budgets/${id}`)).body.data;
const change = (id: string, body: object): Promise<Answer> => api.post(`/api/v0/budgets/${id}`, body);
const all = async (): Promise<any[]> => (await api.get('/api/v0/budgets')).body.data;
const person = async (name: string): Promise<{ id: string; api: Api }> => {
  const { id } = await control('users', { name, email: `${name}@example.com` });
  const { key } = await control('keys', { service: 'instance', name, scopes: ['developer'], user: id });
  return { id, api: createApi(world.service.fetch, 'http://127.0.0.1', key) };
};
let runs = 0;
const spend = (nanoUsd: number, more: object = {}) => control('runs', { run: `run-${++runs}`, nanoUsd, ...more });
const cent = 10_000_000;

/** All the money there is: what the contract gave. */
const total = async (): Promise<number> => (await all()).reduce((sum, { funding }) => sum + funding.amountCents, 0);

test('each of the six codes comes with what it is for, and nothing is written', async () => {
  const of = (answer: Answer) => [answer.status, answer.body.code];
  const [mine, other] = [await project(), await project()];
  const id = await budget(mine, 100);
  const before = await all();
  expect(of(await create(mine, 1))).toEqual([409, 'budget_exists']);
  expect(of(await create(other, contract * 2))).toEqual([402, 'insufficient_funds']);
  expect(of(await change(id, { amountCents: contract * 2 }))).toEqual([402, 'insufficient_funds']);
  expect(of(await create(other, 1, { memberLimits: { enabled: true, defaultCents: 1 } }))).toEqual([400, 'invalid_budget_change']);
  for (const body of [{ amountCents: 5 }, { renewal: { cadence: 'daily', amountCents: 5 } }, { onExhausted: 'notify' }])
    expect(of(await change('organization', body))).toEqual([403, 'organization_budget_contract_funded']);
  expect(of(await api.post(`/api/v0/budgets/${id}/members`, { members: [] }))).toEqual([403, 'member_limits_disabled']);
  await control('contract', { projectBudgets: false });
  expect(of(await create(other, 1))).toEqual([403, 'project_budgets_disabled']);
  await control('contract', { projectBudgets: true });
  expect(await all()).toEqual(before);
});

test('a change that holds an amount that is not covered changes nothing else either', async () => {
  const id = await budget(await project(), 100);
  const before = await read(id);
  const refused = await change(id, {
    amountCents: contract * 2,
    onExhausted: 'notify',
    renewal: { cadence: 'daily', amountCents: 5 },
    memberLimits: { enabled: true, defaultCents: 5, period: 'daily' },
  });
  expect([refused.status, await read(id)]).toEqual([402, before]);
});

test('what is left out keeps its value, null clears, and an amount below what is spent is refused', async () => {
  const id = await budget(await project(), 100, { renewal: { cadence: 'weekly', amountCents: 7 } });
  await change(id, { memberLimits: { enabled: true, defaultCents: 5, period: 'daily' } });
  await change(id, { memberLimits: { defaultCents: null } });
  expect(await read(id)).toMatchObject({
    funding: { amountCents: 100, renewal: { cadence: 'weekly', amountCents: 7 } },
    memberLimits: { enabled: true, defaultCents: null, period: 'daily' },
  });
  await change(id, { renewal: null });
  expect((await read(id)).funding.renewal).toBeNull();
});

test('whatever is asked for, in whatever order, money is neither made nor lost, and no budget gives what it has not', async () => {
  const projects = await Promise.all([project(), project(), project()]);
  const amount = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constantFrom(contract, contract * 2));
  const act = fc.record({ at: fc.nat(2), amount, kind: fc.constantFrom('fund', 'spend', 'limits', 'renew', 'time') });
  let offset = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
      for (const { at, amount: cents, kind } of acts) {
        const [known] = (await api.get(`/api/v0/budgets?projectId=${projects[at]}`)).body.data;
        if (kind === 'time') await control('clock', { offsetSeconds: (offset += cents * 10) });
        else if (kind === 'spend') await spend((cents % 50) * cent, { projectId: projects[at] });
        else if (!known) await create(projects[at]!, cents);
        else if (kind === 'fund') await change(known.id, { amountCents: cents });
        else if (kind === 'renew')
          await change(known.id, { renewal: cents % 3 === 0 ? null : { cadence: 'daily', amountCents: 1 + (cents % 100) } });
        else await change(known.id, { memberLimits: { enabled: true, defaultCents: cents, ...(cents % 2 ? { period: 'weekly' } : {}) } });
        const budgets = await all();
        expect(budgets.reduce((sum, { funding }) => sum + funding.amountCents, 0)).toBe(contract);
        for (const { funding } of budgets) expect(funding.remainingCents).toBe(funding.amountCents - funding.spentCents);
        expect(budgets[0].funding.remainingCents).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 40 },
  );
  await control('clock', { offsetSeconds: 0 });
});

test('of many who change one budget at once none loses what it moved', async () => {
  const projects = await Promise.all(Array.from({ length: 20 }, () => project()));
  const before = await read('organization');
  const ids = await Promise.all(projects.map((each) => budget(each, 10)));
  await Promise.all(ids.flatMap((id, at) => [change(id, { amountCents: 20 + at }), change(id, { onExhausted: 'notify' })]));
  const budgets = await Promise.all(ids.map(read));
  expect(budgets.map(({ funding, onExhausted }) => [funding.amountCents, onExhausted])).toEqual(ids.map((_, at) => [20 + at, 'notify']));
  const given = budgets.reduce((sum, { funding }) => sum + funding.amountCents, 0);
  expect((await read('organization')).funding.amountCents).toBe(before.funding.amountCents - given);
  expect(await total()).toBe(contract);
});

test('an exhausted budget blocks what would be spent, one that only notifies does not', async () => {
  const projectId = await project();
  const id = await budget(projectId, 3);
  expect(await spend(2 * cent, { projectId })).toEqual({ result: 'ok' });
  expect(await spend(2 * cent, { projectId })).toEqual({ result: 'ok' });
  expect((await read(id)).funding).toMatchObject({ spentCents: 4, remainingCents: -1 });
  expect(await spend(1, { projectId })).toEqual({ blocked: { says: expect.stringContaining('exhausted') } });
  await change(id, { onExhausted: 'notify' });
  expect(await spend(cent, { projectId })).toEqual({ result: 'ok' });
  expect((await change(id, { amountCents: 4 })).body).toMatchObject({ code: 'invalid_budget_change' });
});

test('runs that cost less than half a cent each exhaust a budget, and reach a limit, by what they cost together', async () => {
  const projectId = await project();
  const id = await budget(projectId, 1);
  const small = (spender: object) => spend(0.4 * cent, spender);
  for (let run = 0; run < 3; run++) expect(await small({ projectId })).toEqual({ result: 'ok' });
  expect((await read(id)).funding).toMatchObject({ spentCents: 0, remainingCents: 1 });
  expect(await small({ projectId })).toEqual({ blocked: { says: expect.stringContaining('exhausted') } });
  const ada = await person('ada of cents');
  const limited = await project();
  await api.post(`/api/v0/projects/${limited}/members`, { members: [{ user: ada.id, role: 'editor' }] });
  await budget(limited, 100, { memberLimits: { enabled: true, defaultCents: 1, period: 'daily' } });
  const hers = { projectId: limited, user: ada.id };
  for (let run = 0; run < 3; run++) expect(await small(hers)).toEqual({ result: 'ok' });
  expect(await small(hers)).toEqual({ blocked: { says: expect.stringContaining('limit of 1 cents'), seconds: expect.any(Number) } });
});

test('a budget that is shown as spent is exhausted, though its runs were rounded up', async () => {
  const projectId = await project();
  await budget(projectId, 1);
  expect(await spend(0.6 * cent, { projectId })).toEqual({ result: 'ok' });
  expect(await spend(1, { projectId })).toEqual({ blocked: { says: expect.stringContaining('exhausted') } });
});

test('a run is rounded once over all that it costs: three parts of 0.4 cents are one cent', async () => {
  const projectId = await project();
  const id = await budget(projectId, 100);
  for (let part = 0; part < 3; part++) await control('runs', { run: 'in parts', projectId, nanoUsd: 4_000_000 });
  await spend(5_000_000, { projectId });
  await spend(15_000_000, { projectId });
  expect((await read(id)).funding.spentCents).toBe(1 + 0 + 2);
  expect([0, 4_999_999, 5_000_000, 5_000_001, 15_000_000, 25_000_000].map(centsOf)).toEqual([0, 0, 0, 1, 2, 2]);
});

test('the limit of a member holds for its period, the own one before the default, and begins anew with the next', async () => {
  const ada = await person('ada');
  const projectId = await project();
  await api.post(`/api/v0/projects/${projectId}/members`, { members: [{ user: ada.id, role: 'editor' }] });
  const id = await budget(projectId, 1_000, { memberLimits: { enabled: true, defaultCents: 5, period: 'daily' } });
  const member = async () => (await api.get(`/api/v0/budgets/${id}/members`)).body.data.find((each: { id: string }) => each.id === ada.id);
  const limit = (limitCents: number | null) => api.post(`/api/v0/budgets/${id}/members`, { members: [{ user: ada.id, limitCents }] });
  const spending = () => spend(3 * cent, { projectId, user: ada.id });
  expect(await spending()).toEqual({ result: 'ok' });
  expect(await spending()).toEqual({ result: 'ok' });
  expect(await member()).toMatchObject({ limitCents: null, effectiveLimitCents: 5, spentCents: 6, status: 'exceeded' });
  const { blocked } = await spending();
  const untilReset = (Date.parse((await read(id)).memberLimits.resetsAt) - Date.now()) / 1_000;
  expect(blocked.says).toContain('limit of 5 cents');
  expect(Math.abs(blocked.seconds - untilReset)).toBeLessThan(120);
  await limit(9);
  expect([await spending(), await spending()]).toEqual([{ result: 'ok' }, { blocked: expect.anything() }]);
  expect(await member()).toMatchObject({ limitCents: 9, effectiveLimitCents: 9, status: 'exceeded' });
  await limit(null);
  expect(await member()).toMatchObject({ limitCents: null, effectiveLimitCents: 5 });
  await control('clock', { offsetSeconds: 86_400 });
  expect(await member()).toMatchObject({ spentCents: 0, status: 'ok' });
  expect(await spending()).toEqual({ result: 'ok' });
  await control('clock', { offsetSeconds: 0 });
});

test('a batch of limits with one bad row writes none, and one that is repeated changes nothing', async () => {
  const eve = await person('eve');
  const id = await budget(await project(), 100, { memberLimits: { enabled: true } });
  const [owner] = (await api.get(`/api/v0/budgets/${id}/members`)).body.data;
  const send = (members: object[]) => api.post(`/api/v0/budgets/${id}/members`, { members });
  const refused = await send([
    { user: owner.id, limitCents: 5 },
    { user: eve.id, limitCents: 5 },
  ]);
  expect([refused.status, refused.body.issues]).toMatchObject([
    400,
    [{ path: ['members', 1, 'user'], message: expect.stringContaining('no member') }],
  ]);
  expect(
    (
      await send([
        { user: owner.id, limitCents: 5 },
        { user: owner.id, limitCents: 6 },
      ])
    ).status,
  ).toBe(400);
  expect((await api.get(`/api/v0/budgets/${id}/members`)).body.data).toMatchObject([{ limitCents: null }]);
  await send([{ user: owner.id, limitCents: 5 }]);
  await send([{ user: owner.id, limitCents: 5 }]);
  const { rows } = (await world.api.get('/__control/journal')).body;
  expect(rows.filter((row: any) => row.subject === `members of budget/${id}`).map((row: any) => row.changed)).toEqual([1, 0]);
});

test('a renewal is paid by the organization when its time comes, as often as it came, and only where it is covered', async () => {
  const id = await budget(await project(), 100, { renewal: { cadence: 'daily', amountCents: 7 } });
  const before = (await read('organization')).funding.amountCents;
  await control('clock', { offsetSeconds: 3 * 86_400 });
  expect((await read(id)).funding.amountCents).toBe(121);
  expect((await read('organization')).funding.amountCents).toBe(before - 21);
  await change(id, { renewal: { cadence: 'daily', amountCents: contract } });
  await control('clock', { offsetSeconds: 5 * 86_400 });
  expect((await read(id)).funding.amountCents).toBe(121);
  expect(await total()).toBe(contract);
  await control('clock', { offsetSeconds: 0 });
});

test('a renewal that takes all that the organization has left is paid', async () => {
  // Others would be paid in the same moment, and leave less.
  for (const { id } of await all()) await change(id, { renewal: null });
  const id = await budget(await project(), 100);
  const { remainingCents: rest } = (await read('organization')).funding;
  await change(id, { renewal: { cadence: 'daily', amountCents: rest } });
  await control('clock', { offsetSeconds: 86_400 });
  expect([(await read(id)).funding.amountCents, (await read('organization')).funding.remainingCents]).toEqual([100 + rest, 0]);
  await change(id, { amountCents: 100, renewal: null });
  await control('clock', { offsetSeconds: 0 });
});

test('another amount of a renewal leaves its date: what was paid once is paid no second time', async () => {
  const id = await budget(await project(), 100, { renewal: { cadence: 'daily', amountCents: 7 } });
  const amount = async (): Promise<number> => (await read(id)).funding.amountCents;
  await control('clock', { offsetSeconds: 3 * 86_400 });
  expect(await amount()).toBe(121);
  // The next renewal is of the fourth day, also for a clock that was set back.
  await control('clock', { offsetSeconds: 0 });
  await change(id, { renewal: { cadence: 'daily', amountCents: 9 } });
  await control('clock', { offsetSeconds: 3 * 86_400 });
  expect(await amount()).toBe(121);
  await control('clock', { offsetSeconds: 4 * 86_400 });
  expect(await amount()).toBe(130);
  await control('clock', { offsetSeconds: 0 });
});

test('an amount that alone is changed is one change, and none where it is sent again', async () => {
  const id = await budget(await project(), 100);
  for (const amountCents of [120, 120]) await change(id, { amountCents });
  const { rows } = (await world.api.get('/__control/journal')).body;
  expect(rows.filter(({ subject }: any) => subject === `budget/${id}`).map(({ changed }: any) => changed)).toEqual([1, 0]);
});

test('a launch on an exhausted budget that renews is told when it does, by the clock of the service', async () => {
  const noon = new Date().setUTCHours(36, 0, 0, 0);
  const offsetSeconds = (noon - Date.now()) / 1_000;
  await control('clock', { offsetSeconds });
  const projectId = await project();
  await budget(projectId, 3, { renewal: { cadence: 'daily', amountCents: 7 } });
  await spend(3 * cent, { projectId });
  const launched = () => api.post('/api/v0/agents', { projectId, prompt: { text: 'Hello.' } });
  const refused = await launched();
  expect([refused.status, refused.body.code]).toEqual([429, 'spend_limit_reached']);
  const untilMidnight = (noon + 12 * 3_600_000 - Date.now()) / 1_000 - offsetSeconds;
  const seconds = Number(refused.headers.get('retry-after'));
  // As many as were left when it was asked: no fewer than are left now, and no more than at noon.
  expect([seconds >= Math.floor(untilMidnight), seconds <= 12 * 3_600 + 1]).toEqual([true, true]);
  await control('clock', { offsetSeconds: offsetSeconds + seconds });
  expect((await launched()).status).toBe(201);
  await control('clock', { offsetSeconds: 0 });
});

test('periods are of UTC, and weeks begin on Monday', () => {
  const at = Date.UTC(2026, 1, 1, 12);
  const days = (period: 'daily' | 'weekly' | 'monthly') =>
    Object.values(periodOf(period, at)).map((each) => new Date(each).toISOString().slice(0, 10));
  expect([days('daily'), days('weekly'), days('monthly')]).toEqual([
    ['2026-02-01', '2026-02-02'],
    ['2026-01-26', '2026-02-02'],
    ['2026-02-01', '2026-03-01'],
  ]);
});

test('who administers a project sees its budget and no other, sets limits, and moves no money', async () => {
  const bob = await person('bob');
  const mine = (await bob.api.post('/api/v0/projects', { name: 'of bob' })).body.data.id;
  const other = await budget(await project(), 5);
  const made = await bob.api.post('/api/v0/budgets', { projectId: mine, amountCents: 0 });
  expect(made.status).toBe(201);
  const { id } = made.body.data;
  expect((await bob.api.get('/api/v0/budgets')).body).toMatchObject({ data: [{ id }], totalCount: 1 });
  for (const unseen of ['organization', other]) expect((await bob.api.get(`/api/v0/budgets/${unseen}`)).status).toBe(404);
  expect((await bob.api.post(`/api/v0/budgets/${id}`, { onExhausted: 'notify' })).status).toBe(200);
  for (const funding of [{ amountCents: 5 }, { renewal: { cadence: 'daily', amountCents: 5 } }])
    expect((await bob.api.post(`/api/v0/budgets/${id}`, funding)).status).toBe(403);
  const second = (await bob.api.post('/api/v0/projects', { name: 'second' })).body.data.id;
  const renewal = { cadence: 'daily', amountCents: 5 };
  for (const funding of [{ amountCents: 5 }, { amountCents: 0, renewal }])
    expect((await bob.api.post('/api/v0/budgets', { projectId: second, ...funding })).status).toBe(403);
  expect((await bob.api.post('/api/v0/budgets', { projectId: await project(), amountCents: 0 })).status).toBe(404);
});

test('what agents cost is booked on the budget of their project, to the cent, and one that is exhausted ends them and takes no launch', async () => {
  const projectId = await project('of agents');
  const id = await budget(projectId, 100);
  const { id: workflowId, versionId } = (await api.post('/api/v0/workflows', { name: 'mails', instructionMarkdown: 'Extract the emails.' }))
    .body.data;
  const text = `ada@example.com ${'and many more words '.repeat(2_000)}`;
  const body = { projectId, workflowId, prompt: { text } };
  const launch = () => api.post('/api/v0/agents', body);
  const { id: agent } = (await launch()).body.data;
  await expect.poll(async () => (await api.get(`/api/v0/agents/${agent}`)).body.data.status).toBe('finished');
  const { spend: spent } = (await api.get(`/api/v0/agents/${agent}/usage`)).body.data;
  const cost = spent.reduce((sum: number, { costUsd }: { costUsd: number }) => sum + costUsd, 0);
  expect((await read(id)).funding.spentCents).toBe(centsOf(Math.round(cost * 1e9)));
  expect(cost).toBeGreaterThan(0.005);
  const [version] = (await api.get(`/api/v0/workflows/${workflowId}/versions`)).body.data;
  expect(version).toMatchObject({ id: versionId, runCount: 1, totalCostUsd: cost, averageCostUsd: cost });
  await change(id, { amountCents: (await read(id)).funding.spentCents });
  const refused = await launch();
  expect([refused.status, refused.body.code]).toEqual([429, 'spend_limit_reached']);
});

test('who leaves a project or the organization leaves the own limit there, and comes back without it', async () => {
  const projectId = await project('left');
  const limits = { enabled: true, defaultCents: 50, period: 'daily' };
  const id = await budget(projectId, 100, { memberLimits: limits });
  const { id: user } = await person('lea');
  const { id: stays } = await person('sam');
  const set = (members: object[]) => api.post(`/api/v0/projects/${projectId}/members`, { members });
  const limitOf = async (of: string, who: string) =>
    (await api.get(`/api/v0/budgets/${of}/members?limit=100`)).body.data.find((each: any) => each.id === who).limitCents;
  await change('organization', { memberLimits: { enabled: true } });
  const entries = (limitCents: number) => ({ members: [user, stays].map((each) => ({ user: each, limitCents })) });
  await set([user, stays].map((each) => ({ user: each, role: 'editor' })));
  await api.post(`/api/v0/budgets/${id}/members`, entries(7));
  await api.post('/api/v0/budgets/organization/members', entries(9));
  await set([{ user, role: null }]);
  await set([{ user, role: 'viewer' }]);
  expect([await limitOf(id, user), await limitOf(id, stays)]).toEqual([null, 7]);
  expect([await limitOf('organization', user), await limitOf('organization', stays)]).toEqual([9, 9]);

  await api.post(`/api/v0/budgets/${id}/members`, entries(7));
  const maps = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.maps);
  const { organizations } = (await maps.get('/v1/user/')).body;
  const organization_id = organizations[0].organization_id;
  const membership = { organization_id, user_id: user };
  expect((await maps.post('/v1/organization/members/delete', membership)).status).toBe(200);
  expect((await maps.post('/v1/organization/members/add', { ...membership, access_role: 'MEMBER' })).status).toBe(201);
  expect([await limitOf('organization', user), await limitOf('organization', stays)]).toEqual([null, 9]);
  expect(await limitOf(id, user), 'the project was not left').toBe(7);
  await change('organization', { memberLimits: { enabled: false } });
});
