import { beforeAll, expect } from 'vitest';
import type { OperationName } from '../../contracts/index.ts';
import { launched, quick, slow } from './instance-agents.ts';
import { once } from './instance-fields.ts';
import { allOf, memberWith, newProject, plain, useInstance } from './instance-place.ts';
import { proves } from './proves.ts';

const place = useInstance();
const owner = () => place().owner;
beforeAll(() => slow(place()));

type Page = { data: { id: string }[]; nextCursor: string | null; totalCount?: number };

/** A list, with a user of its own and 101 items. */
type List = { path: string; key: string; ids: string[]; cursorIsId: boolean };

const many = 101;
const times = async <T>(make: (at: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let at = 0; at < many; at++) made.push(await make(at));
  return made;
};

const agents = once(async (): Promise<List> => {
  const some = await memberWith(place());
  const ids = (await times((at) => launched(some, `Summarise: ship ${at} sails.`))).map(({ id }) => id);
  return { path: '/api/v0/agents', key: some.key, ids: ids.toReversed(), cursorIsId: true };
});
const projects = once(async (): Promise<List> => {
  const some = await memberWith(place());
  const ids = (await times(() => newProject(some))).map(({ id }) => id);
  return { path: '/api/v0/projects', key: some.key, ids: ids.toReversed(), cursorIsId: true };
});
const workflows = once(async (): Promise<List> => {
  const some = await memberWith(place());
  const ids = (await times((at) => some.invoke('instance.workflows.create', { name: `paged ${at}` }))).map(({ id }) => id);
  return { path: '/api/v0/workflows', key: some.key, ids: ids.toReversed(), cursorIsId: true };
});
const files = once(async (): Promise<List> => {
  const some = await memberWith(place());
  const ids = (await times((at) => some.invoke('instance.files.upload', { file: new File([`${at}`], `paged ${at}.txt`) }))).map(
    ({ id }) => id,
  );
  return { path: '/api/v0/files/search?query=paged', key: some.key, ids: ids.toReversed(), cursorIsId: true };
});
const people = once(() => Promise.all(Array.from({ length: many - 1 }, () => memberWith(place()))));
const project = once(async () => {
  const { id } = await newProject(owner());
  const members = (await people()).map(({ id: user }) => ({ user, role: 'viewer' as const }));
  const set = await owner().invoke('instance.projects.setMembers', { id, members });
  return { id, ids: set.map((each) => each.id).toSorted() };
});
const projectMembers = once(async (): Promise<List> => {
  const { id, ids } = await project();
  return { path: `/api/v0/projects/${id}/members`, key: place().service.adminKeys.instance, ids, cursorIsId: false };
});
const budgetMembers = once(async (): Promise<List> => {
  const { id: projectId, ids } = await project();
  const { id } = await owner().invoke('instance.budgets.create', { projectId, amountCents: 1 });
  return { path: `/api/v0/budgets/${id}/members`, key: place().service.adminKeys.instance, ids, cursorIsId: false };
});

const read = async ({ path, key }: List, query: string) => plain(place(), key).get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
const page = async (list: List, query: string): Promise<Page> => (await read(list, query)).body;

/** So many come where nothing is said, as many as are asked for up to the most, and more are refused. */
const limits = (list: () => Promise<List>, usual: number, most: number) => async (): Promise<void> => {
  const of = await list();
  const idsOf = ({ data }: Page) => data.map(({ id }) => id);
  expect(idsOf(await page(of, ''))).toEqual(of.ids.slice(0, usual));
  expect(idsOf(await page(of, 'limit=3'))).toEqual(of.ids.slice(0, 3));
  expect(idsOf(await page(of, `limit=${most}`))).toEqual(of.ids.slice(0, most));
  for (const wrong of [most + 1, 0, -1, 1.5, 'ten']) {
    const { status, body } = await read(of, `limit=${wrong}`);
    expect([wrong, status, body.issues?.[0].path]).toEqual([wrong, 400, ['limit']]);
  }
};

/** A cursor goes on where the page before ended, whoever comes and goes meanwhile; at the end there is none. */
const goesOn = (list: () => Promise<List>) => async (): Promise<void> => {
  const of = await list();
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, nextCursor }: Page = await page(of, `limit=40${cursor && `&cursor=${cursor}`}`);
    seen.push(...data.map(({ id }) => id));
    if (nextCursor !== null && of.cursorIsId) expect(nextCursor).toBe(data.at(-1)!.id);
    cursor = nextCursor;
  }
  expect(seen).toEqual(of.ids);
  for (const wrong of ['x', 'not%20a%20cursor']) expect([wrong, (await read(of, `cursor=${wrong}`)).status]).toEqual([wrong, 400]);
};

const fields = (list: () => Promise<List>, counted: boolean) => async (): Promise<void> => {
  const answer = await page(await list(), 'limit=2');
  expect(Object.keys(answer).toSorted()).toEqual(['data', 'nextCursor', ...(counted ? ['totalCount'] : [])]);
  expect([answer.data.length, typeof answer.nextCursor]).toEqual([2, 'string']);
  if (counted) expect(answer.totalCount).toBe(many);
};

proves(
  ['instance:GET /agents#limit', 'instance:GET /agents#limit-default', 'instance:GET /agents#limit-max'],
  'a page has 20 agents, up to 100 where they are asked for',
  limits(agents, 20, 100),
);
proves(['instance:GET /agents#cursor'], 'pages of agents go on by an id', goesOn(agents));
proves(
  ['instance:GET /agents.1', 'instance:GET /agents#data', 'instance:GET /agents#nextCursor'],
  'a page of agents is agents and a cursor',
  fields(agents, false),
);
proves(['instance:GET /projects#limit'], 'projects come as many as are asked for', limits(projects, 20, 100));
proves(['instance:GET /projects.1', 'instance:GET /projects#data'], 'a page of projects counts all', fields(projects, true));
proves(['instance:GET /projects#cursor'], 'pages of projects go on by an id', goesOn(projects));
proves(
  ['instance:GET /workflows#limit', 'instance:GET /workflows#limit-default', 'instance:GET /workflows#limit-max'],
  'a page has 20 workflows, up to 100 where they are asked for',
  limits(workflows, 20, 100),
);
proves(['instance:GET /workflows#cursor'], 'pages of workflows go on by an id', goesOn(workflows));
proves(
  ['instance:GET /workflows.1', 'instance:GET /workflows#data', 'instance:GET /workflows#nextCursor'],
  'a page of workflows is workflows and a cursor',
  fields(workflows, false),
);
proves(
  ['instance:GET /files/search#limit', 'instance:limits/limit-default-10-max-50'],
  'a page has 10 files, up to 50 where they are asked for',
  limits(files, 10, 50),
);
proves(['instance:GET /files/search#cursor'], 'pages of files go on by an id', goesOn(files));
proves(['instance:GET /files/search#data'], 'a page of files is files and a cursor', fields(files, false));
proves(
  [
    'instance:GET /projects/{id}/members#limit',
    'instance:GET /projects/{id}/members#limit-default',
    'instance:GET /projects/{id}/members#limit-max',
  ],
  'a page has 50 members of a project, up to 100 where they are asked for',
  limits(projectMembers, 50, 100),
);
proves(
  ['instance:GET /projects/{id}/members#cursor', 'instance:GET /projects/{id}/members#nextCursor'],
  'pages of members of a project go on by a cursor',
  goesOn(projectMembers),
);
proves(
  ['instance:GET /projects/{id}/members.1', 'instance:GET /projects/{id}/members#data', 'instance:GET /projects/{id}/members#totalCount'],
  'a page of members of a project counts all',
  fields(projectMembers, true),
);
proves(
  [
    'instance:GET /budgets/{id}/members#limit',
    'instance:GET /budgets/{id}/members#limit-default',
    'instance:GET /budgets/{id}/members#limit-max',
  ],
  'a page has 50 members of a budget, up to 100 where they are asked for',
  limits(budgetMembers, 50, 100),
);
proves(
  ['instance:GET /budgets/{id}/members#cursor', 'instance:GET /budgets/{id}/members#nextCursor'],
  'pages of members of a budget go on by a cursor',
  goesOn(budgetMembers),
);
proves(
  ['instance:GET /budgets/{id}/members.1', 'instance:GET /budgets/{id}/members#data', 'instance:GET /budgets/{id}/members#totalCount'],
  'a page of members of a budget counts all',
  fields(budgetMembers, true),
);

proves(['instance:limits/limit-default-20-max-100'], 'the three lists of twenty have the same limits', async () => {
  for (const list of [agents, projects, workflows]) await limits(list, 20, 100)();
});

proves(
  ['instance:GET /users#limit', 'instance:GET /users#limit-default', 'instance:GET /users#limit-max'],
  'a page has 100 users, up to 1000 where they are asked for',
  async () => {
    await people();
    const list: List = { path: '/api/v0/users', key: place().service.adminKeys.instance, ids: [], cursorIsId: false };
    const all = await allOf(owner().pages('instance.users.list', { limit: 1_000 }));
    expect(all.length).toBeGreaterThan(many);
    const usual = await page(list, '');
    expect(usual.data.map(({ id }) => id)).toEqual(all.slice(0, 100).map(({ id }) => id));
    expect((await page(list, 'limit=1000')).data).toHaveLength(all.length);
    for (const wrong of [1_001, 0, 'ten']) expect([wrong, (await read(list, `limit=${wrong}`)).status]).toEqual([wrong, 400]);
  },
);

proves(['instance:GET /users#cursor', 'instance:limits/limit-default-100-max-1000'], 'pages of users go on by a cursor', async () => {
  await people();
  const by = async (limit: number) => (await allOf(owner().pages('instance.users.list', { limit }))).map(({ id }) => id);
  const whole = await by(1_000);
  expect(await by(30)).toEqual(whole);
  expect((await plain(place()).get('/api/v0/users?cursor=x')).status).toBe(400);
});

proves(['instance:endpoints/1'], 'every list is data and nextCursor, and some count', async () => {
  const lists: [OperationName, string][] = [
    ['instance.apiKeys.list', '/api/v0/api-keys'],
    ['instance.users.list', '/api/v0/users'],
    ['instance.agents.list', '/api/v0/agents'],
    ['instance.files.search', '/api/v0/files/search?query=a'],
    ['instance.projects.list', '/api/v0/projects'],
    ['instance.workflows.list', '/api/v0/workflows'],
    ['instance.budgets.list', '/api/v0/budgets'],
  ];
  const counting: string[] = [];
  for (const [name, path] of lists) {
    const { body } = await plain(place()).get(path);
    expect([name, Array.isArray(body.data), body.nextCursor === null || typeof body.nextCursor === 'string']).toEqual([name, true, true]);
    if ('totalCount' in body) counting.push(name);
  }
  expect(counting).toEqual(['instance.apiKeys.list', 'instance.users.list', 'instance.projects.list', 'instance.budgets.list']);
});

proves(['instance:endpoints/1'], 'what comes and goes between two pages moves nothing of what is left', async () => {
  await quick(place());
  const some = await memberWith(place());
  const ids: string[] = [];
  for (let at = 0; at < 9; at++) ids.push((await launched(some, `Summarise: ship ${at} sails.`)).id);
  const order = ids.toReversed();
  const seen: string[] = [];
  for (let cursor: string | undefined, round = 0; round === 0 || cursor !== undefined; round++) {
    const { data, nextCursor } = await some.invoke('instance.agents.list', { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...data.map(({ id }) => id));
    cursor = nextCursor ?? undefined;
    await launched(some, 'Summarise: later.');
    // The place of the cursor itself goes, and the one that would come next.
    if (round === 0) for (const id of [order[1]!, order[2]!]) await some.invoke('instance.agents.remove', { id });
  }
  expect(seen).toEqual(order.filter((_, at) => at !== 2));
  await slow(place());
});
