import { beforeAll, expect, test } from 'vitest';
import { operations, type OperationName } from '../../contracts/index.ts';
import { ended, launched, orders, quick } from './instance-agents.ts';
import { once } from './instance-fields.ts';
import { memberWith, newProject, useInstance } from './instance-place.ts';
import { refusalOf, type Holder } from './place.ts';

type Operation = Extract<OperationName, `instance.${string}`>;

const place = useInstance();
beforeAll(() => quick(place()));

/** Who may ask. All but the last four have keys with every scope, so that what they are decides. */
const askers = [
  'maker',
  'administrator',
  'project admin',
  'editor',
  'viewer',
  'member',
  'analyst',
  'member analyst',
  'maps key',
  'nobody',
] as const;
type Asker = (typeof askers)[number];

const everyScope = ['admin', 'developer'];
const withEveryScope: readonly Asker[] = askers.slice(0, 6);

/** Who has what, in a project of the maker, an administrator of the organization. */
const people = once(async () => {
  const { service, api, organization, calls, withKey } = place();
  const person = () => memberWith(place(), everyScope);
  const found = {
    administrator: await person(),
    'project admin': await person(),
    editor: await person(),
    viewer: await person(),
    member: await person(),
  };
  const { organization_id } = organization;
  await calls.invoke('maps.members.update', { organization_id, user_id: found.administrator.id, access_role: 'ADMIN' });
  const analyst = (await api.post('/__control/keys', { service: 'instance', name: 'analyst', scopes: ['admin:analytics:read'] })).body.key;
  const by: Record<Asker, Pick<Holder, 'invoke'>> = {
    ...found,
    maker: place().owner,
    analyst: withKey(analyst),
    'member analyst': await memberWith(place(), ['admin:analytics:read']),
    'maps key': withKey(service.adminKeys.maps),
    nobody: withKey('npk_nobody'),
  };
  return { by, ids: found };
});

/** A project of the maker in which three have their roles. */
async function project(): Promise<string> {
  const { ids } = await people();
  const { id } = await newProject(place().owner);
  const roles = [
    ['project admin', 'admin'],
    ['editor', 'editor'],
    ['viewer', 'viewer'],
  ] as const;
  const members = roles.map(([who, role]) => ({ user: ids[who].id, role }));
  await place().owner.invoke('instance.projects.setMembers', { id, members });
  return id;
}

/** What the maker has made, and everybody asks about. */
const made = once(async () => {
  const { owner } = place();
  const projectId = await project();
  const { id: agent } = await launched(owner, 'Count the orders by status.', { 'roles.csv': orders });
  const { artifacts, activeFileIds } = await ended(owner, agent);
  const file = await owner.invoke('instance.files.upload', { file: new File(['# Roof'], 'roof.md') });
  const { taskId } = await owner.invoke('instance.parse.submit', { fileVersionId: file.fileVersionId });
  const { id: workflowId, versionId } = await owner.invoke('instance.workflows.create', { name: 'of the maker', projectId });
  const { id: budget } = await owner.invoke('instance.budgets.create', { projectId, amountCents: 10, memberLimits: { enabled: true } });
  return {
    projectId,
    agent,
    artifactId: artifacts![0]!.id,
    file: activeFileIds![0]!,
    fileVersionId: file.fileVersionId,
    taskId,
    workflowId,
    versionId,
    budget,
  };
});
type Made = Awaited<ReturnType<typeof made>>;

const everyKey = withEveryScope;
const administrators: readonly Asker[] = ['maker', 'administrator'];
const readers: readonly Asker[] = ['maker', 'administrator', 'project admin', 'editor', 'viewer'];
const projectAdministrators: readonly Asker[] = ['maker', 'administrator', 'project admin'];
const analysts: readonly Asker[] = ['maker', 'administrator', 'analyst'];
const maker: readonly Asker[] = ['maker'];

type Row = { may: readonly Asker[]; input: (made: Made) => object | Promise<object> };

let tried = 0;
const prompt = { text: 'Summarise: ships sail.' };
const ownAgent = async () => {
  const { id } = await launched(place().owner, 'Summarise: ships sail.');
  await ended(place().owner, id);
  return { id };
};
const person = async () => ({ id: (await memberWith(place())).id, reason: 'tried' });
const key = async () =>
  (await place().api.post('/__control/keys', { service: 'instance', name: 'tried', scopes: [] })).body as { id: string };

/** Who may do what with what the maker has made: the compiler names an operation without a row. */
const rows: Record<Operation, Row> = {
  'instance.apiKeys.list': { may: administrators, input: () => ({}) },
  'instance.apiKeys.revoke': { may: administrators, input: async () => ({ id: (await key()).id }) },
  'instance.users.list': { may: administrators, input: () => ({}) },
  'instance.users.get': { may: administrators, input: async () => ({ id: (await people()).ids.viewer.id }) },
  'instance.users.disable': { may: administrators, input: person },
  'instance.users.enable': { may: administrators, input: person },
  'instance.agents.list': { may: everyKey, input: () => ({}) },
  'instance.agents.launch': { may: everyKey, input: () => ({ prompt }) },
  'instance.agents.get': { may: analysts, input: ({ agent }) => ({ id: agent }) },
  'instance.agents.conversation': { may: analysts, input: ({ agent }) => ({ id: agent }) },
  'instance.agents.usage': { may: analysts, input: ({ agent }) => ({ id: agent }) },
  'instance.agents.artifact': { may: maker, input: ({ agent, artifactId }) => ({ id: agent, artifactId }) },
  'instance.agents.export': { may: maker, input: ({ agent, artifactId }) => ({ id: agent, artifactId, format: 'csv' }) },
  'instance.agents.stop': { may: maker, input: ({ agent }) => ({ id: agent }) },
  'instance.agents.followup': { may: maker, input: async () => ({ ...(await ownAgent()), prompt }) },
  'instance.agents.remove': { may: maker, input: ownAgent },
  'instance.files.search': { may: everyKey, input: () => ({ query: 'roof' }) },
  'instance.files.status': { may: maker, input: ({ file }) => ({ id: file }) },
  'instance.files.tempFolder': { may: everyKey, input: () => ({}) },
  'instance.files.upload': { may: everyKey, input: () => ({ file: new File(['x'], 'tried.txt') }) },
  'instance.parse.submit': { may: maker, input: ({ fileVersionId }) => ({ fileVersionId }) },
  'instance.parse.get': { may: maker, input: ({ taskId }) => ({ taskId }) },
  'instance.projects.list': { may: everyKey, input: () => ({}) },
  'instance.projects.create': { may: everyKey, input: () => ({ name: 'tried' }) },
  'instance.projects.get': { may: readers, input: ({ projectId }) => ({ id: projectId }) },
  'instance.projects.members': { may: readers, input: ({ projectId }) => ({ id: projectId }) },
  'instance.projects.update': {
    may: projectAdministrators,
    input: ({ projectId }) => ({ id: projectId, description: `tried ${++tried}` }),
  },
  'instance.projects.setMembers': { may: ['maker', 'project admin'], input: ({ projectId }) => ({ id: projectId, members: [] }) },
  'instance.workflows.list': { may: everyKey, input: () => ({}) },
  'instance.workflows.create': { may: everyKey, input: () => ({ name: 'tried' }) },
  'instance.workflows.get': { may: maker, input: ({ workflowId }) => ({ workflowId }) },
  'instance.workflows.versions': { may: maker, input: ({ workflowId }) => ({ workflowId }) },
  'instance.workflows.update': { may: maker, input: ({ workflowId }) => ({ workflowId, mode: 'high' }) },
  'instance.workflows.release': { may: maker, input: ({ workflowId, versionId }) => ({ workflowId, versionId }) },
  'instance.budgets.list': { may: everyKey, input: () => ({}) },
  'instance.budgets.create': { may: projectAdministrators, input: async () => ({ projectId: await project(), amountCents: 0 }) },
  'instance.budgets.get': { may: projectAdministrators, input: ({ budget }) => ({ id: budget }) },
  'instance.budgets.update': { may: projectAdministrators, input: ({ budget }) => ({ id: budget, onExhausted: 'block' }) },
  'instance.budgets.members': { may: projectAdministrators, input: ({ budget }) => ({ id: budget }) },
  'instance.budgets.setMembers': { may: projectAdministrators, input: ({ budget }) => ({ id: budget, members: [] }) },
  'instance.codes.search': { may: everyKey, input: () => ({ query: 'x', jurisdiction: 'harborland', codeType: 'building' }) },
};
const names = Object.keys(rows) as Operation[];

const effects = async (): Promise<number> => (await place().api.get('/__control/journal')).body.rows.length;

test('every operation has a row', () => {
  expect(names.toSorted()).toEqual(
    Object.keys(operations)
      .filter((name) => name.startsWith('instance.'))
      .toSorted(),
  );
});

test.each(askers)('%s reaches what is theirs, and nothing else', async (asker) => {
  const { by } = await people();
  const cells: [Operation, string][] = [];
  for (const operation of names) {
    const input = await rows[operation].input(await made());
    const before = await effects();
    const call = by[asker].invoke(operation, input);
    if (rows[operation].may.includes(asker)) {
      cells.push([
        operation,
        await call.then(
          () => 'reached',
          (error: Error) => error.message,
        ),
      ]);
      continue;
    }
    const { status } = await refusalOf(call);
    const unknown = asker === 'nobody' || asker === 'maps key';
    cells.push([
      operation,
      (unknown ? status === 401 : status === 403 || status === 404) && (await effects()) === before ? 'refused' : `${status}`,
    ]);
  }
  expect(cells).toEqual(names.map((name) => [name, rows[name].may.includes(asker) ? 'reached' : 'refused']));
});
