import { randomUUID } from 'node:crypto';
import { picture } from '../support/pictures.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Bool, Field, List } from 'apache-arrow';
import { createClient, type Clients } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { revealing } from '../../client/secret-sink.ts';
import { operations, type OperationName } from '../../contracts/index.ts';
import { partOperation } from '../../contracts/maps/uploads.ts';
import { arrowFile, shardOf } from '../service/world.ts';
import type { EffectClass } from '../../contracts/endpoint.ts';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import type { Step } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import type { Stack, WorkerOptions } from '../support/stack.ts';
import { signIn } from '../support/sign-in.ts';
import { unlocked } from '../support/unlocked.ts';
import { matrixFaults, type Expectation, type MatrixFault } from './support-matrix-rules.ts';

export type Target = OperationName | typeof partOperation;

/** One service and worker, and what stands ready in it. */
export type Lane = {
  stack: Stack;
  organization: { id: string; slug: string };
  base: Base;
  /** Those of the product, and the own step that calls once. */
  steps: Readonly<Record<string, Step>>;
};

/** A dataset of 60 rows with a map of its texts. */
type Base = { project: string; slug: string; index: string; map: string; job: string };

/** How a run that calls the operation once looks. `project`: whose journal holds the effect, beside the small records. */
export type Cell = { text: string; project?: string };

export type Row = {
  /** Operation that is disturbed. */
  target: Target;
  /** Where several rows disturb the same operation: what this one is about. */
  about?: string;
  /** Makes what is there already under another id: the journal cannot distinguish that from a repeat, the count of effects can. */
  namesakes?: true;
  /** Where the step declares another class than the operation. */
  effect?: EffectClass;
  /** Makes everything new that the effect needs. */
  cell(lane: Lane, made: number): Promise<Cell>;
  /** Faults that only this operation knows, and in what they differ from what their answer alone would mean. */
  further?: readonly { fault: MatrixFault; shows: Shows }[];
  /** In what the faults that all operations know, by name, show something else here than the effect class alone says. */
  differs?: Readonly<Record<string, Shows>>;
};

type Shows = Partial<Record<keyof Expectation, unknown>>;

/** How a row is called. */
export const nameOf = ({ target, about }: Pick<Row, 'target' | 'about'>): string => (about === undefined ? target : `${target} (${about})`);

let names = 0;
const newName = (what: string): string => `${what}-${++names}`;

/** A pipeline of one `api.call`; what cannot be taken back is approved by a person first. */
const callOf = (operation: OperationName, input: object): string => `
name: cell
steps:
${operations[operation].irreversible ? '  ask: { use: gate.approve, with: { show: cell } }\n' : ''}  call:
    use: api.call
${operations[operation].irreversible ? '    needs: [ask]\n' : ''}    with: ${JSON.stringify({ operation, input })}
outputs: { result: "\${{ steps.call.result }}" }
`;

const call = (
  target: OperationName,
  input: (lane: Lane, made: number) => object | Promise<object>,
  differs: Row['differs'] = {},
  more: Partial<Row> = {},
): Row => ({
  target,
  differs,
  ...more,
  cell: async (lane, made) => {
    const given = await input(lane, made);
    const project = (given as { project_id?: string; dataset_id?: string }).project_id ?? (given as { dataset_id?: string }).dataset_id;
    return { text: callOf(target, given), project: project ?? lane.base.project };
  },
});

/** A step of the product on a file of 20 new rows. */
const rowsStep =
  (use: string) =>
  async (lane: Lane): Promise<Cell> => {
    const project = await kept(lane, use, () => newProject(lane));
    const source = join(lane.stack.dir, `${randomUUID()}.json`);
    const name = newName('row');
    await writeFile(source, JSON.stringify(Array.from({ length: 20 }, (_, at) => ({ key: `${name}-${at}`, n: at }))));
    return {
      project,
      text: `
name: cell
steps:
  rows: { use: ${use}, with: ${JSON.stringify({ dataset: project, source, id: { column: 'key' } })} }
`,
    };
  };

/** The index is found, but no read says which job builds it. */
const noJob: Row['differs'] = { 'reset after': { state: 'failed', error: 'Undecided', lookedUp: false } };

/** An edit in place shows by no new version: it is sent again, and changes nothing. */
const inPlace: Row['differs'] = { 'reset after': { harmless: 1, requests: 2 } };

const empty: { method: 'composition'; conjunctor: 'ALL'; filters: [] } = { method: 'composition', conjunctor: 'ALL', filters: [] };
const vector = (): number[] => Array.from({ length: 768 }, (_, at) => Math.sin(at));

/** A row for each operation that is built, and for the PUT of a part. */
export const rows: readonly Row[] = [
  call('maps.health.get', () => ({})),
  call('maps.user.get', () => ({})),
  call('maps.user.profile', () => ({})),
  call('maps.identity.authorize', () => ({ state: newName('state') })),
  call('maps.identity.token', async ({ stack }) => ({ code: await newCode(stack) })),
  call('maps.identity.refresh', async (lane) => ({ refresh_token: await kept(lane, 'session', () => newSession(lane.stack)) })),
  call(
    'maps.identity.logout',
    () => ({}),
    // The key of the connection has no session: nothing ends, and a look finds that it has not.
    { ...Object.fromEntries(matrixFaults.map(({ name }) => [name, { effects: 0 }])), 'reset after': { effects: 0, requests: 2 } },
  ),
  call('maps.organizations.create', () => ({ nickname: newName('team') })),
  call('maps.organizations.get', ({ organization }) => ({ organization_id_or_slug: organization.slug, limit: 2 })),
  call('maps.organizations.search', ({ organization }) => ({ slug: organization.slug })),
  call('maps.organizations.update', ({ organization }) => ({
    organization_id: organization.id,
    new_organization_description: newName('said'),
  })),
  call('maps.usage.period', ({ organization }) => ({ organization_id_or_slug: organization.slug })),
  call('maps.usage.recent', ({ organization }) => ({ organization_id_or_slug: organization.slug })),
  call('maps.usage.withinLimit', ({ organization }) => ({
    organization_id_or_slug: organization.slug,
    usage_type: 'text_tokens' as const,
  })),
  call('maps.members.add', async (lane) => ({ ...(await newcomer(lane)), access_role: 'MEMBER' as const })),
  call('maps.members.update', async (lane) => ({ ...(await member(lane)), access_role: 'ADMIN' as const })),
  call('maps.members.remove', (lane) => member(lane)),
  call('maps.projects.create', ({ organization }) => {
    const slug = newName('made');
    return { organization_id: organization.id, project_name: slug, slug };
  }),
  call(
    'maps.projects.create',
    ({ organization }) => ({ organization_id: organization.id, project_name: 'My Movies' }),
    {},
    {
      about: 'two words and no slug, namesakes before it',
      namesakes: true,
    },
  ),
  call(
    'maps.projects.create',
    async (lane) => {
      const organization_id = await kept(lane, 'foreign', async () => {
        const made = await lane.stack.api.organizations.create({ nickname: newName('foreign') });
        return made.organization_id;
      });
      return { organization_id, project_name: newName('Abroad'), slug: newName('abroad') };
    },
    {},
    { about: 'not in the default organization' },
  ),
  call('maps.organizations.create', () => ({ nickname: 'namesakes' }), {}, { about: 'namesakes before it', namesakes: true }),
  {
    target: 'maps.organizations.create',
    about: "by an own step of class 'never'",
    effect: 'never',
    cell: async () => ({ text: `name: cell\nsteps:\n  call: { use: prove.once, with: { nickname: ${newName('once')} } }\n` }),
  },
  call('maps.projects.get', ({ base }) => ({ project_id: base.project })),
  call('maps.projects.bySlug', ({ base, organization }) => ({ organization_slug: organization.slug, project_slug: base.slug })),
  call('maps.projects.list', () => ({})),
  call('maps.projects.update', ({ base }) => ({ project_id: base.project, id: base.project, description: newName('said') })),
  call('maps.projects.remove', async (lane) => ({ project_id: await newProject(lane) })),
  { target: 'maps.data.addArrow', cell: rowsStep('dataset.append') },
  call('maps.data.get', ({ base }) => ({ project_id: base.project, datum_ids: ['row-1', 'row-2'] })),
  call('maps.data.delete', async (lane, made) => ({
    project_id: await kept(lane, 'delete', () => filled(lane)),
    datum_ids: [`row-${made}`],
  })),
  call('maps.data.lastModified', ({ base }) => ({ dataset_id: base.project })),
  call('maps.data.datums', ({ base }) => ({ map_id: base.map, qids: ['0-0', '0-1'], response_type: 'json' as const })),
  call('maps.projections.get', ({ base }) => ({ project_id: base.project, projection_id: base.map })),
  call('maps.tiles.schema', ({ base }) => ({ projection_id: base.map })),
  call('maps.tiles.manifest', ({ base }) => ({ project_id: base.project, projection_id: base.map })),
  call('maps.tiles.get', ({ base }) => ({ project_id: base.project, projection_id: base.map, z: '0', x: '0', file: '0.feather' })),
  call('maps.mapTags.create', ({ base }) => tagNamed(base, newName('tag'))),
  call('maps.mapTags.list', ({ base }) => ({ project_id: base.project, projection_id: base.map })),
  call('maps.mapTags.get', async (lane) => ({ tag_id: await newTag(lane), project_id: lane.base.project })),
  call('maps.mapTags.status', async (lane) => ({ tag_id: await newTag(lane), project_id: lane.base.project })),
  call('maps.mapTags.update', async (lane) => ({ tag_id: await newTag(lane), tag_name: newName('renamed') })),
  call('maps.mapTags.remove', async (lane) => ({ tag_id: await newTag(lane), project_id: lane.base.project })),
  call('maps.mapTags.robotag', async (lane) => ({ tag_id: await newTag(lane), project_id: lane.base.project })),
  {
    target: 'maps.mapTags.mask',
    cell: async (lane) => {
      const tag = await newTag(lane);
      const metadata = { project_id: lane.base.project, tag_id: tag, tag_definition_id: tag.replaceAll('-', '_'), complete: 'true' };
      const bits = Array.from({ length: 60 }, (_, point) => point % 2 === 0);
      const mask = arrowFile(metadata, { bitmask: { type: new List(new Field('item', new Bool(), true)), values: [bits] } });
      return { project: lane.base.project, text: maskCall(Buffer.from(mask).toString('base64')) };
    },
  },
  call('maps.data.atoms', ({ base }) => ({ project_id: base.project, index_id: base.index, atom_ids: ['row-1'] })),
  call('maps.blobs.get', async (lane) => ({ dataset_id: lane.base.project, blob_hash: await kept(lane, 'blob', () => newBlob(lane)) })),
  call('maps.indices.create', async (lane) => ({ ...randomIndex(await quiet(lane, 'create')), index_name: newName('map') }), noJob),
  call('maps.indices.create', async (lane) => randomIndex(await quiet(lane, 'unnamed')), noJob, {
    about: 'without a name',
    namesakes: true,
  }),
  call('maps.indices.update', async (lane) => {
    const project_id = await quiet(lane, 'update', async () => {
      const made = await filled(lane);
      await lane.stack.api.indices.create({ ...randomIndex(made), index_name: 'map' });
      return made;
    });
    await addRows(lane, project_id, 2);
    return { project_id };
  }),
  call('maps.indices.remove', async (lane) => {
    const project_id = await quiet(lane, 'remove');
    const { job_id } = await lane.stack.api.indices.create({ ...randomIndex(project_id), index_name: newName('map') });
    await unlocked(lane.stack.api, project_id);
    return { project_id, index_id: (await lane.stack.api.indices.job({ job_id })).index_id };
  }),
  call('maps.indices.job', ({ base }) => ({ job_id: base.job })),
  call('maps.indices.progress', ({ base }) => ({ index_id: base.index })),
  call('maps.indices.status', ({ base }) => ({ index_id: base.index })),
  call('maps.projections.dataset', ({ base }) => ({ map_id: base.map })),
  call('maps.uploads.start', async (lane) => ({
    dataset_id: await kept(lane, 'start', () => newProject(lane)),
    file_type: 'feather',
    file_size: 1_000,
  })),
  { target: 'maps.uploads.complete', cell: rowsStep('dataset.upload') },
  {
    target: partOperation,
    cell: rowsStep('dataset.upload'),
    // New URLs, and the part is sent to them.
    further: [
      {
        fault: { name: 'expired', do: { expired: true }, says: 'refused', status: 403 },
        shows: { state: 'done', error: undefined, requests: 2 },
      },
    ],
  },
  call('maps.data.rows', ({ base }) => ({ dataset_id: base.project, field: 'year', value: '1901' })),
  call('maps.neighbors.inTiles', ({ base }) => ({ project_id: base.project, projection_id: base.map, tiles: ['0/0/0'], tix: 0, rix: 1 })),
  call('maps.resources.list', ({ base }) => ({ project_id: base.project })),
  call('maps.resources.create', async (lane) => {
    const project_id = await kept(lane, 'resources', () => filled(lane));
    return { project_id, resources: [{ resource_type: 'DATASET_CHECKPOINT', ref: newName('rows'), dataset_id: project_id }] };
  }),
  call('maps.neighbors.byId', ({ base }) => ({ atlas_index_id: base.index, datum_ids: ['row-1'], k: 3 })),
  call('maps.neighbors.byIdArrow', ({ base }) => ({ atlas_index_id: base.index, datum_ids: ['row-1'], k: 3 })),
  call('maps.neighbors.topics', async (lane) => ({ atlas_index_id: await topicalIndex(lane), queries: [vector()], k: 3 })),
  call('maps.neighbors.byEmbedding', ({ base }) => ({ atlas_index_id: base.index, queries: [vector()], k: 3 })),
  call('maps.query.select', ({ base }) => ({ projection_id: base.map, selection: empty })),
  call('maps.query.topk', ({ base }) => ({ projection_id: base.map, k: 3, fields: ['id'], query: 'ship' })),
  call('maps.tags.update', ({ base }) => ({
    projection_id: base.map,
    tag_name: newName('tag'),
    ids: ['row-1', 'row-2'],
    operation: 'add',
    id_field: 'id',
  })),
  call('maps.blobs.add', ({ base }) => ({ dataset_id: base.project, blobs: [newName('blob'), newName('blob')] })),
  call('maps.embedding.text', () => ({ texts: ['ship'] })),
  call('maps.embedding.image', async ({ stack }) => {
    const file = join(stack.dir, `${newName('picture')}.png`);
    await writeFile(file, await picture(1));
    return { images: [{ file }] };
  }),
  call('maps.documents.upload', () => ({ files: [{ id: newName('file'), size: 1, content_type: 'text/plain' }] })),
  call('maps.documents.parse', async (lane) => ({ file_url: await kept(lane, 'document', () => newDocument(lane)) })),
  call('maps.documents.status', async (lane) => ({ task_id: await newTask(lane) })),
  call('maps.documents.events', () => ({})),
  call('maps.documents.extract', async (lane) => ({
    file_urls: [await kept(lane, 'document', () => newDocument(lane))],
    extraction_schema: { type: 'object', properties: { ship: { type: 'string' } } },
  })),
  // Held where it begins: one that has ended has nothing to cancel.
  call('maps.documents.cancel', async (lane) => {
    const { id } = await lane.stack.control.fault('task.begun', 1, { hold: 'before' });
    const task_id = await newTask(lane);
    await lane.stack.control.held(id);
    return { task_id };
  }),
  call('maps.keys.list', ({ organization }) => ({ organization_id: organization.id })),
  call('maps.keys.create', ({ organization }) => ({ organization_id: organization.id, key_name: newName('key') }), {
    // The key is there and nobody has it: a person decides.
    'reset after': { state: 'failed', error: 'Undecided', lookedUp: false },
  }),
  call('maps.keys.remove', async ({ stack, organization }) => {
    const key_name = newName('old-key');
    await stack.control.issueKey({ service: 'maps', name: key_name });
    return { organization_id: organization.id, key_name };
  }),
  call('instance.apiKeys.list', () => ({ limit: 5 })),
  call(
    'instance.apiKeys.revoke',
    async ({ stack }) => ({ id: (await stack.control.issueKey({ service: 'instance', name: newName('key') })).id }),
    {
      // Revoked already means done: so says the contract.
      '409': { state: 'done', error: undefined },
      'reset after': { harmless: 0 },
    },
  ),
  call('instance.files.search', () => ({ query: 'cell' })),
  call('instance.files.status', async (lane) => ({ id: await kept(lane, 'file', () => newFile(lane.stack)) })),
  call(
    'instance.files.tempFolder',
    async ({ stack }) => {
      await instanceOf(stack).files.tempFolder({});
      return {};
    },
    // It is there once for each user: what makes it again changes nothing.
    Object.fromEntries(
      ['408', '425', '500', '429+RA', '503+RA', 'reset before', 'reset after'].map((fault) => [
        fault,
        { effects: 0, harmless: fault === 'reset after' ? 2 : 1 },
      ]),
    ),
  ),
  call('instance.files.upload', () => ({ file: newName('content'), path: `cells/${newName('file')}.txt` })),
  call('instance.agents.list', () => ({ limit: 5 })),
  call('instance.agents.launch', () => ({ prompt: { text: `Extract the emails of ${newName('a')}@example.com.` } })),
  call('instance.agents.get', (lane) => keptAgent(lane)),
  call('instance.agents.conversation', (lane) => keptAgent(lane)),
  call('instance.agents.usage', (lane) => keptAgent(lane)),
  call('instance.agents.artifact', (lane) => keptTable(lane)),
  call('instance.agents.export', async (lane) => ({ ...(await keptTable(lane)), format: 'csv' as const })),
  // It waits for what it has asked: one that has ended has nothing to stop.
  call('instance.agents.stop', (lane) => newAgent(lane, 'Ask me which roof is meant.', [], 'awaiting_tool'), {
    // A second stop changes nothing, and is no effect.
    'reset after': { harmless: 0 },
  }),
  call('instance.agents.followup', async (lane) => ({ ...(await newAgent(lane)), prompt: { text: newName('Go on') } }), {
    // The agent has not ended: later.
    '409': { state: 'done', error: undefined, requests: 2, effects: 1, retries: 1 },
  }),
  call('instance.agents.remove', (lane) => newAgent(lane)),
  call('instance.projects.list', () => ({ limit: 5 })),
  call('instance.projects.create', () => ({ name: newName('bridge') })),
  call('instance.projects.create', () => ({ name: 'bridges' }), {}, { about: 'namesakes before it', namesakes: true }),
  call('instance.projects.get', async (lane) => ({ id: await kept(lane, 'work', () => newWork(lane.stack)) })),
  call('instance.projects.update', async (lane) => ({
    id: await kept(lane, 'work', () => newWork(lane.stack)),
    description: newName('said'),
  })),
  call('instance.projects.members', async (lane) => ({ id: await kept(lane, 'work', () => newWork(lane.stack)) })),
  call('instance.projects.setMembers', async (lane) => ({
    id: await kept(lane, 'work', () => newWork(lane.stack)),
    members: [{ user: await newUser(lane.stack), role: 'viewer' as const }],
  })),
  call('instance.workflows.list', () => ({ limit: 5 })),
  call('instance.workflows.create', () => ({ name: newName('review') })),
  call('instance.workflows.get', async (lane) => ({ workflowId: await kept(lane, 'workflow', () => newWorkflow(lane.stack)) })),
  call(
    'instance.workflows.update',
    async (lane) => ({
      workflowId: await kept(lane, 'edited', () => newWorkflow(lane.stack)),
      instructionMarkdown: newName('text'),
    }),
    inPlace,
  ),
  call(
    'instance.workflows.update',
    async (lane) => {
      const workflowId = await newWorkflow(lane.stack);
      const { latestVersionId } = await instanceOf(lane.stack).workflows.get({ workflowId });
      await instanceOf(lane.stack).workflows.release({ workflowId, versionId: latestVersionId! });
      return { workflowId, baseVersionId: latestVersionId!, instructionMarkdown: newName('text') };
    },
    {},
    { about: 'as a new version' },
  ),
  call('instance.workflows.versions', async (lane) => ({ workflowId: await kept(lane, 'workflow', () => newWorkflow(lane.stack)) })),
  call('instance.workflows.release', async (lane) => {
    const workflowId = await newWorkflow(lane.stack);
    const { latestVersionId } = await instanceOf(lane.stack).workflows.get({ workflowId });
    return { workflowId, versionId: latestVersionId! };
  }),
  call('instance.budgets.list', () => ({})),
  call('instance.budgets.create', async ({ stack }) => ({ projectId: await newWork(stack), amountCents: 1 })),
  call('instance.budgets.get', () => ({ id: 'organization' as const })),
  call('instance.budgets.update', async (lane, made) => ({
    id: await kept(lane, 'budget', () => newBudget(lane.stack)),
    amountCents: 100 + made,
  })),
  call('instance.budgets.members', () => ({ id: 'organization' as const })),
  call('instance.budgets.setMembers', async ({ stack }, made) => {
    const { id } = await instanceOf(stack).budgets.update({ id: 'organization', memberLimits: { enabled: true } });
    return { id, members: [{ user: await newUser(stack), limitCents: made }] };
  }),
  call('instance.parse.submit', async (lane) => ({ fileVersionId: await kept(lane, 'version', () => newVersion(lane)) })),
  call('instance.parse.get', async (lane) => {
    const fileVersionId = await kept(lane, 'version', () => newVersion(lane));
    return { taskId: (await instanceOf(lane.stack).parse.submit({ fileVersionId })).taskId };
  }),
  call('instance.codes.search', () => ({ query: 'stairs', jurisdiction: 'westmark', codeType: 'building' })),
  call('instance.users.list', () => ({ email: 'local' })),
  call('instance.users.get', async ({ stack }) => ({ id: await newUser(stack) })),
  call('instance.users.disable', async ({ stack }) => ({ id: await newUser(stack), reason: 'left' })),
  call('instance.users.enable', async ({ stack }) => {
    const id = await newUser(stack);
    await instanceOf(stack).users.disable({ id, reason: 'left' });
    return { id, reason: 'back' };
  }),
];

const newCode = async ({ api, url, adminKeys }: Stack): Promise<string> => {
  const { authorization_url } = await api.identity.authorize({});
  return signIn(authorization_url.replace(new URL(authorization_url).origin, url), adminKeys.maps);
};

const newSession = async (stack: Stack): Promise<string> =>
  (
    await createClient('maps', { baseUrl: stack.url, token: '', permits: createPermits(), secrets: revealing }).identity.token({
      code: await newCode(stack),
    })
  ).refresh_token;

const maskCall = (mask: string): string => `
name: cell
steps:
  call: { use: prove.mask, with: { mask: ${mask} } }
`;

const tagNamed = ({ project, map }: Base, tag_name: string, tag_definition_id = 'every-point') => ({
  project_id: project,
  projection_id: map,
  tag_name,
  tag_definition_id,
  dsl_rule: JSON.stringify(empty),
});

/** A tag of a rule that every point meets; its definition is its own id. */
async function newTag({ stack, base }: Lane): Promise<string> {
  const { tag_id } = await stack.api.mapTags.create(tagNamed(base, newName('tag')));
  await stack.api.mapTags.update({ tag_id, tag_definition_id: tag_id.replaceAll('-', '_'), dsl_rule: JSON.stringify(empty) });
  return tag_id;
}

/** An index whose map has topics. */
const topicalIndex = (lane: Lane): Promise<string> =>
  kept(lane, 'topics', async () => {
    const { api } = lane.stack;
    const project_id = await filled(lane);
    const order = { indexed_field: 'text', model: 'svc-embed-text-v1', nearest_neighbor_index: null, projection: null };
    const { job_id } = await api.indices.create({ project_id, ...order, topic_model_hyperparameters: '{"build_topic_model":true}' });
    await unlocked(api, project_id);
    return (await api.indices.job({ job_id })).index_id;
  });

const newUser = async ({ control }: Stack): Promise<string> => {
  const name = newName('user');
  return (await control.addUser({ name, email: `${name}@example.com` })).id;
};

const newWork = async (stack: Stack): Promise<string> => (await instanceOf(stack).projects.create({ name: newName('work') })).id;

const newWorkflow = async (stack: Stack): Promise<string> => (await instanceOf(stack).workflows.create({ name: newName('review') })).id;

const newBudget = async (stack: Stack): Promise<string> =>
  (await instanceOf(stack).budgets.create({ projectId: await newWork(stack), amountCents: 50 })).id;

const newFile = async (stack: Stack): Promise<string> =>
  (await instanceOf(stack).files.upload({ file: newName('content'), path: `${newName('cell')}.txt` })).id;

/** An agent whose turn is over. */
async function newAgent({ stack }: Lane, text = newName('Summarise'), fileIds: string[] = [], at = 'finished'): Promise<{ id: string }> {
  const { agents } = instanceOf(stack);
  await stack.control.agents({ pace: { from: 0, to: 0 } });
  const { id } = await agents.launch({ prompt: { text }, fileIds });
  for (let status = ''; status !== at; status = (await agents.get({ id })).status) await new Promise((resolve) => setTimeout(resolve, 20));
  return { id };
}

const keptAgent = async (lane: Lane): Promise<{ id: string }> => ({
  id: await kept(lane, 'agent', async () => (await newAgent(lane)).id),
});

/** A table that an agent has made. */
async function keptTable(lane: Lane): Promise<{ id: string; artifactId: string }> {
  const { files, agents } = instanceOf(lane.stack);
  const id = await kept(lane, 'agent of a table', async () => {
    const file = await files.upload({ file: 'a,b\n1,x\n2,y\n', path: `${newName('table')}.csv` });
    return (await newAgent(lane, 'Count the rows by b.', [file.id])).id;
  });
  return { id, artifactId: (await agents.get({ id })).artifacts![0]!.id };
}

/** A user who is no member of the organization, and one who is. */
async function newcomer(lane: Lane): Promise<{ organization_id: string; user_id: string }> {
  const team = async (): Promise<string> => (await lane.stack.api.organizations.create({ nickname: newName('members') })).organization_id;
  return { organization_id: await kept(lane, 'members', team), user_id: await newUser(lane.stack) };
}

async function member(lane: Lane): Promise<{ organization_id: string; user_id: string }> {
  const user = await newcomer(lane);
  await lane.stack.api.members.add({ ...user, access_role: 'MEMBER' });
  return user;
}

const instanceOf = ({ url, adminKeys }: Stack): Clients['instance'] =>
  createClient('instance', { baseUrl: url, token: adminKeys.instance, permits: createPermits() });

/** A lane's own things by name, made when first asked for. */
const things = new WeakMap<Lane, Map<string, Promise<string>>>();
const kept = (lane: Lane, name: string, make: () => Promise<string>): Promise<string> => {
  const mine = things.get(lane) ?? new Map<string, Promise<string>>();
  things.set(lane, mine);
  const known = mine.get(name) ?? make();
  mine.set(name, known);
  return known;
};

async function newProject({ stack, organization }: Pick<Lane, 'stack' | 'organization'>): Promise<string> {
  const { project_id } = await stack.api.projects.create({
    organization_id: organization.id,
    project_name: newName('cell'),
    unique_id_field: 'id',
  });
  return project_id;
}

const newBlob = async ({ stack, base }: Lane): Promise<string> =>
  (await stack.api.blobs.add({ dataset_id: base.project, blobs: [newName('blob')] })).hashes[0]!;

/** An uploaded file, by its URL, and a task that reads it. */
async function newDocument({ stack }: Lane): Promise<string> {
  const bytes = Buffer.from('A ship in a storm.');
  const { files } = await stack.api.documents.upload({ files: [{ id: 'ship.txt', size: bytes.length, content_type: 'text/plain' }] });
  await fetch(files[0]!.upload_url, { method: 'PUT', body: bytes });
  return files[0]!.svc_url!;
}

const newTask = async (lane: Lane): Promise<string> => {
  const file_url = await kept(lane, 'document', () => newDocument(lane));
  return (await lane.stack.api.documents.parse({ file_url })).task_id;
};

const newVersion = async ({ stack }: Lane): Promise<string> =>
  (await instanceOf(stack).files.upload({ file: new File(['A ship in a storm.'], `${newName('parsed')}.txt`) })).fileVersionId;

let rowsMade = 1_000_000;
const addRows = (lane: Pick<Lane, 'stack'>, project: string, count: number): Promise<unknown> =>
  lane.stack.api.data.addArrow({ body: shardOf(project, count, { from: (rowsMade += count) - count }) });

async function filled(lane: Lane): Promise<string> {
  const project = await newProject(lane);
  await lane.stack.api.data.addArrow({ body: shardOf(project, 40) });
  return project;
}

/** A dataset of its own for the indices of one operation, with no build under way. */
async function quiet(lane: Lane, name: string, make: () => Promise<string> = () => filled(lane)): Promise<string> {
  const project = await kept(lane, name, make);
  await unlocked(lane.stack.api, project);
  return project;
}

const randomIndex = (project_id: string) => ({
  project_id,
  indexed_field: null,
  model: null,
  nearest_neighbor_index: null,
  projection: 'SvcProject',
  projection_hyperparameters: '{"model":"random"}',
});

const onceStep = `import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineStep({
  name: 'prove.once',
  input: z.strictObject({ nickname: z.string() }),
  output: z.looseObject({}),
  effect: 'never',
  operations: ['maps.organizations.create'],
  run: ({ nickname }, { maps }) => maps.organizations.create({ nickname }),
});
`;

const maskStep = `import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineStep({
  name: 'prove.mask',
  input: z.strictObject({ mask: z.string() }),
  output: z.looseObject({}),
  effect: 'idempotent',
  operations: ['maps.mapTags.mask'],
  run: async ({ mask }, { maps }) => (await maps.mapTags.mask({ body: new Uint8Array(Buffer.from(mask, 'base64')) })) ?? {},
});
`;

/** Brings a service and its worker to the point from which every cell starts. */
export async function prepareLane(stack: Stack, worker: WorkerOptions = {}): Promise<Lane> {
  const files = { once: onceStep, mask: maskStep };
  const paths = Object.keys(files).map((name) => join(stack.dir, 'steps', `${name}.mts`));
  await mkdir(join(stack.dir, 'steps'), { recursive: true });
  for (const [at, text] of Object.values(files).entries()) await writeFile(paths[at]!, text);
  await stack.worker.stop();
  await stack.worker.start(0, worker);
  const own = await loadOwnSteps(paths);
  const steps = withOwn(own);
  const { organizations } = await stack.api.user.get({});
  const [{ organization_id: id, slug } = { organization_id: '', slug: '' }] = organizations;
  const organization = { id, slug: slug ?? id };
  const project = await newProject({ stack, organization });
  await stack.api.data.addArrow({ body: shardOf(project, 60) });
  const { job_id, projection_id } = await stack.api.indices.create({
    project_id: project,
    index_name: 'base',
    indexed_field: 'text',
    model: 'svc-embed-text-v1',
    nearest_neighbor_index: 'HNSWIndex',
    projection: 'SvcProject',
  });
  const made = await unlocked(stack.api, project);
  const { index_id } = await stack.api.indices.job({ job_id });
  return { stack, organization, steps, base: { project, slug: made.slug, index: index_id, map: projection_id!, job: job_id } };
}

/** Waits until what a cell has begun in the background is over, so that the next one finds no lock. */
export async function settled({ stack }: Lane, { project }: Cell): Promise<void> {
  if (project !== undefined) await unlocked(stack.api, project).catch(() => undefined);
}
