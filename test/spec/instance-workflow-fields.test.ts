import { expect } from 'vitest';
import { z } from 'zod';
import { answered, asking, flag, once, text, uuid, whole } from './instance-fields.ts';
import { memberWith, newProject, plain, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';
import { nowhere } from './rows/made.ts';

const place = useInstance();
const owner = () => place().owner;
const api = () => plain(place());
const get = async (workflowId: string) => (await api().get(`/api/v0/workflows/${workflowId}`)).body.data;

const table = { schema: [{ name: 'door', type: 'string' }], elements: [{ door: 'D1' }] };
const requestedFiles = [
  { name: 'plan', description: 'a drawing', optional: false, multiple: true },
  { name: 'list', description: null, optional: true, multiple: false },
];
const given = {
  description: 'of doors',
  metadata: { greeting: 'hello', icon: 'door' },
  instructionMarkdown: 'Count doors.',
  mode: 'high',
  model: 'large',
  requestedFiles,
  capabilities: { codeSearch: true, tools: ['one'] },
  linkedArtifacts: [
    { name: 'form', content: '# Doors' },
    { name: 'doors', content: table },
  ],
};
const written = once(async () => {
  const { id: projectId } = await newProject(owner());
  return { projectId, ...(await owner().invoke('instance.workflows.create', { name: 'doors', ...given, projectId })) };
});
const detail = answered(async () => get((await written()).id));
const answer = answered(written);
const listed = answered(async () => {
  const { id } = await written();
  return (await owner().invoke('instance.workflows.list', { query: 'OF doors' })).data.find((each) => each.id === id);
});

proves(['instance:workflow/1#name'], 'a slot has a name', listed('requestedFiles.*.name', text));
proves(['instance:workflow/1#description'], 'a slot may have a description', listed('requestedFiles.*.description', text.nullable()));
proves(['instance:workflow/1#optional'], 'a slot may be left empty or not', listed('requestedFiles.*.optional', flag));
proves(['instance:workflow/1#multiple'], 'a slot takes one file or several', listed('requestedFiles.*.multiple', flag));
proves(['instance:workflow/2#metadata'], 'a workflow has metadata', async () =>
  expect((await get((await written()).id)).metadata).toEqual(given.metadata),
);
proves(['instance:workflow/2#isArchived'], 'a workflow is archived, shared and public, or is not', async () => {
  for (const field of ['isArchived', 'isShared', 'isPublic']) await detail(field, z.literal(false))();
});
proves(['instance:workflow/2#builderPath'], 'a workflow has a place in the builder', detail('builderPath', z.string().startsWith('/')));
proves(['instance:workflow/2#version'], 'a version has a number', detail('version.version', z.literal(1)));
proves(['instance:workflow/2#isReleased'], 'a version is released or not', detail('version.isReleased', z.literal(false)));
proves(['instance:workflow/2#model'], 'a version has instructions, a mode and a model', async () =>
  expect((await get((await written()).id)).version).toMatchObject({ instructionMarkdown: 'Count doors.', mode: 'high', model: 'large' }),
);
proves(['instance:workflow/2#capabilities'], 'a version has capabilities', async () =>
  expect((await get((await written()).id)).version.capabilities).toEqual(given.capabilities),
);
proves(['instance:workflow/2#linkedArtifacts'], 'a version has artifacts', async () =>
  expect((await get((await written()).id)).version.linkedArtifacts).toHaveLength(2),
);
proves(['instance:workflow/2#id'], 'an artifact of a version has an id', detail('version.linkedArtifacts.*.id', uuid));
proves(['instance:workflow/2#name'], 'an artifact of a version has its name', async () =>
  expect((await get((await written()).id)).version.linkedArtifacts.map((each: { name: string }) => each.name)).toEqual(['form', 'doors']),
);
proves(['instance:workflow/2#type', 'instance:workflow/2#content'], 'an artifact of a version is a document or a table', async () =>
  expect((await get((await written()).id)).version.linkedArtifacts).toMatchObject([
    { type: 'MARKDOWN_DOCUMENT', content: '# Doors' },
    { type: 'TABLE', content: table },
  ]),
);
proves(['instance:workflow/2#contextFiles', 'instance:workflow/2#tags'], 'a version has lists of context files and tags', async () => {
  for (const field of ['version.contextFiles', 'version.tags']) await detail(field, z.array(z.object({ id: uuid, name: text })))();
});

proves(
  ['instance:workflow/2', 'instance:GET /workflows/{workflowId}.2', 'instance:GET /workflows/{workflowId}#data'],
  'a workflow has these fields',
  async () => {
    const { id, versionId, projectId } = await written();
    const { status, body } = await api().get(`/api/v0/workflows/${id}`);
    expect([status, Object.keys(body)]).toEqual([200, ['data']]);
    expect(body.data).toMatchObject({
      id,
      name: 'doors',
      description: 'of doors',
      projectId,
      releasedVersionId: null,
      latestVersionId: versionId,
    });
    expect(Object.keys(body.data).toSorted()).toEqual(
      [
        'id',
        'name',
        'description',
        'metadata',
        'projectId',
        'isPublic',
        'isShared',
        'isArchived',
        'releasedVersionId',
        'latestVersionId',
        'builderPath',
        'version',
      ].toSorted(),
    );
    expect(Object.keys(body.data.version).toSorted()).toEqual(
      [
        'id',
        'version',
        'isReleased',
        'instructionMarkdown',
        'mode',
        'model',
        'requestedFiles',
        'capabilities',
        'linkedArtifacts',
        'contextFiles',
        'tags',
      ].toSorted(),
    );
  },
);

const create = asking(
  (body) => api().post('/api/v0/workflows', body),
  () => ({ name: 'made' }),
);
type Made = { data: { id: string } };
const ofWorkflow =
  (field: string) =>
  async ({ data }: Made): Promise<unknown> =>
    (await get(data.id))[field];
const ofVersion =
  (field: string) =>
  async ({ data }: Made): Promise<unknown> =>
    (await get(data.id)).version[field];

proves(['instance:POST /workflows#name'], 'a workflow is made with a name', create('name', 'named', [7, '', null], ofWorkflow('name')));
proves(
  ['instance:POST /workflows#description'],
  'a workflow may be made with a description',
  create('description', 'x', [7], ofWorkflow('description')),
);
proves(
  ['instance:POST /workflows#metadata'],
  'a workflow may be made with metadata',
  create('metadata', { inputs: 'x' }, [7, { other: 'x' }], ofWorkflow('metadata')),
);
proves(
  ['instance:POST /workflows#instructionMarkdown'],
  'a workflow may be made with instructions',
  create('instructionMarkdown', '# x', [7], ofVersion('instructionMarkdown')),
);
proves(['instance:POST /workflows#mode'], 'a workflow may be made with a mode', create('mode', 'high', [7, ''], ofVersion('mode')));
proves(['instance:POST /workflows#model'], 'a workflow may be made with a model', create('model', 'large', [7, ''], ofVersion('model')));
proves(
  ['instance:POST /workflows#requestedFiles'],
  'a workflow may be made with slots',
  create('requestedFiles', requestedFiles, [7, [7], [{}], [{ name: 'x', optional: 'yes' }]], ofVersion('requestedFiles')),
);
proves(
  ['instance:POST /workflows#capabilities'],
  'a workflow may be made with capabilities',
  create('capabilities', { codeSearch: true, any: { deep: 1 } }, [7, []], ofVersion('capabilities')),
);
proves(
  ['instance:POST /workflows#linkedArtifacts', 'instance:POST /workflows#content'],
  'a workflow may be made with artifacts, which are Markdown or tables',
  async () => {
    const { status, body } = await api().post('/api/v0/workflows', { name: 'with', linkedArtifacts: given.linkedArtifacts });
    expect([status, body.data.linkedArtifacts]).toEqual([
      201,
      [
        { id: expect.any(String), name: 'form' },
        { id: expect.any(String), name: 'doors' },
      ],
    ]);
    for (const wrong of [7, [7], [{ content: 'x' }], [{ name: 'x', content: 7 }], [{ name: 'x' }], [{ id: nowhere }]])
      expect([wrong, (await api().post('/api/v0/workflows', { name: 'with', linkedArtifacts: wrong })).status]).toEqual([wrong, 400]);
  },
);
proves(
  ['instance:POST /workflows#projectId', 'instance:GET /workflows#projectId'],
  'a workflow may be made in a project that its maker reads, and is listed by it',
  async () => {
    const { id: projectId } = await newProject(owner());
    await create('projectId', projectId, [7, 'no id'], ofWorkflow('projectId'))();
    await create('projectId', null, [], ofWorkflow('projectId'))();
    const { data } = await owner().invoke('instance.workflows.list', { projectId });
    expect(data.map(({ name }) => name)).toEqual(['made']);
    expect((await owner().invoke('instance.workflows.list', { projectId: nowhere })).data).toEqual([]);
    const some = await memberWith(place());
    expect((await refusalOf(some.invoke('instance.workflows.create', { name: 'x', projectId }))).status).toBe(404);
  },
);

proves(['instance:POST /workflows#id'], 'a new workflow is answered by its id', answer('id', uuid));
proves(['instance:POST /workflows#versionId'], 'a new workflow is answered by the id of its version', async () => {
  const { id, versionId } = await written();
  expect((await get(id)).latestVersionId).toBe(versionId);
});
proves(['instance:POST /workflows#version'], 'the first version of a workflow is 1', answer('version', z.literal(1)));
proves(['instance:POST /workflows#createdNewVersion'], 'a new workflow has a new version', answer('createdNewVersion', z.literal(true)));
proves(
  ['instance:POST /workflows#builderPath'],
  'a new workflow has its place in the builder',
  answer('builderPath', z.string().startsWith('/')),
);
proves(['instance:POST /workflows.1', 'instance:POST /workflows#data'], 'a new workflow is answered by these fields', async () => {
  const { status, body } = await api().post('/api/v0/workflows', { name: 'answered' });
  expect([status, Object.keys(body)]).toEqual([201, ['data']]);
  expect(Object.keys(body.data).toSorted()).toEqual(['builderPath', 'createdNewVersion', 'id', 'linkedArtifacts', 'version', 'versionId']);
});

proves(
  ['instance:POST /workflows/{workflowId}.2', 'instance:POST /workflows/{workflowId}#id', 'instance:POST /workflows/{workflowId}#content'],
  'an edit is answered as a creation is, and keeps artifacts by their id beside new ones',
  async () => {
    const {
      id,
      linkedArtifacts: [form],
    } = (await owner().invoke('instance.workflows.create', { name: 'edited', linkedArtifacts: [given.linkedArtifacts[0]!] })) as {
      id: string;
      linkedArtifacts: { id: string; name: string }[];
    };
    const { status, body } = await api().post(`/api/v0/workflows/${id}`, {
      linkedArtifacts: [{ id: form!.id }, { name: 'doors', content: table }],
    });
    expect([status, Object.keys(body.data).toSorted()]).toEqual([
      200,
      ['builderPath', 'createdNewVersion', 'id', 'linkedArtifacts', 'version', 'versionId'],
    ]);
    expect(body.data.linkedArtifacts).toEqual([form, { id: expect.any(String), name: 'doors' }]);
    expect((await get(id)).version.linkedArtifacts).toMatchObject([{ id: form!.id, content: '# Doors' }, { content: table }]);
    for (const wrong of [[{ id: nowhere }], [{ id: form!.id, name: 'x', content: 'x' }], [{ name: 'x', content: 7 }]])
      expect([wrong, (await api().post(`/api/v0/workflows/${id}`, { linkedArtifacts: wrong })).status]).toEqual([wrong, 400]);
    expect((await get(id)).version.linkedArtifacts).toHaveLength(2);
  },
);

proves(
  ['instance:GET /workflows/{workflowId}/versions#data', 'instance:GET /workflows/{workflowId}/versions.1', 'instance:versioning/2'],
  'versions are numbered, one of them is released and one the latest, for who may edit the workflow',
  async () => {
    const { id, versionId: first } = await owner().invoke('instance.workflows.create', { name: 'numbered' });
    const release = (versionId: string) => owner().invoke('instance.workflows.release', { workflowId: id, versionId });
    await release(first);
    const { versionId: second } = await owner().invoke('instance.workflows.update', { workflowId: id, mode: 'high' });
    const { status, body } = await api().get(`/api/v0/workflows/${id}/versions`);
    expect([status, Object.keys(body)]).toEqual([200, ['data']]);
    expect(body.data.map((each: { id: string; version: number; isReleased: boolean }) => [each.id, each.version, each.isReleased])).toEqual(
      [
        [second, 2, false],
        [first, 1, true],
      ],
    );
    expect(await get(id)).toMatchObject({ releasedVersionId: first, latestVersionId: second });
    await place().api.post('/__control/share', { workflowId: id, shared: true });
    const some = await memberWith(place());
    expect((await refusalOf(some.invoke('instance.workflows.versions', { workflowId: id }))).status).toBe(404);
  },
);

const released = once(async () => {
  const { id: workflowId, versionId } = await owner().invoke('instance.workflows.create', { name: 'released' });
  await owner().invoke('instance.workflows.release', { workflowId, versionId });
  const next = await owner().invoke('instance.workflows.update', { workflowId, mode: 'high' });
  const { status, body } = await api().post(`/api/v0/workflows/${workflowId}/versions/${next.versionId}/release`);
  return { status, body, workflowId, first: versionId, second: next.versionId };
});
const release = answered(async () => (await released()).body.data);

proves(
  [
    'instance:POST /workflows/{workflowId}/versions/{versionId}/release.1',
    'instance:POST /workflows/{workflowId}/versions/{versionId}/release#data',
  ],
  'a release is answered by these fields',
  async () => {
    const { status, body } = await released();
    expect([status, Object.keys(body), Object.keys(body.data).toSorted()]).toEqual([
      200,
      ['data'],
      ['id', 'previousReleasedVersionId', 'releasedVersionId', 'version'],
    ]);
  },
);
proves(['instance:POST /workflows/{workflowId}/versions/{versionId}/release#id'], 'a release names its workflow', async () => {
  const { body, workflowId } = await released();
  expect(body.data.id).toBe(workflowId);
});
proves(
  [
    'instance:POST /workflows/{workflowId}/versions/{versionId}/release#releasedVersionId',
    'instance:POST /workflows/{workflowId}/versions/{versionId}/release#previousReleasedVersionId',
  ],
  'a release names the version that is released and the one that was',
  async () => {
    const { body, first, second } = await released();
    expect(body.data).toMatchObject({ releasedVersionId: second, previousReleasedVersionId: first });
  },
);
proves(
  ['instance:POST /workflows/{workflowId}/versions/{versionId}/release#version'],
  'a release names the number of its version',
  release('version', z.literal(2)),
);

proves(['instance:workflows/2'], 'context files and tags are no fields of an edit', async () => {
  const { id } = await written();
  for (const more of [{ contextFiles: [] }, { tags: [] }]) {
    expect((await api().post(`/api/v0/workflows/${id}`, more)).status).toBe(400);
    expect((await api().post('/api/v0/workflows', { name: 'x', ...more })).status).toBe(400);
  }
  await detail('version.version', whole)();
});

const search = (body: object) => api().post('/api/v0/codes/search', body);
const code = asking(search, () => ({ query: 'doors', jurisdiction: 'harborland', codeType: 'building' }));
const hits = async (more: object) =>
  (await search({ query: 'ceiling height', jurisdiction: 'harborland', codeType: 'building', ...more })).body.results as {
    citationId: string;
    content: { text: string }[];
    file: { code: { name: string; year: number }; jurisdiction: { slug: string } };
  }[];

proves(['instance:POST /codes/search#query'], 'codes are searched by words', async () => {
  await code('query', 'how high is a ceiling', [7, '', null], () => 'how high is a ceiling')();
  expect((await hits({ query: 'how high is a ceiling' }))[0]!.citationId).toBe('1208.2');
  expect((await hits({ query: 'how wide must an exit stair be' }))[0]!.citationId).toBe('1005.3');
});
proves(['instance:POST /codes/search#jurisdiction'], 'codes are searched in their jurisdiction', async () => {
  await code('jurisdiction', 'harborland', [7, ''], ({ results }) => results[0].file.jurisdiction.slug)();
  expect(await hits({ jurisdiction: 'nowhere' })).toEqual([]);
});
proves(['instance:POST /codes/search#codeType'], 'codes are searched by their type', async () => {
  await code('codeType', 'building', [7, ''], () => 'building')();
  const names = async (codeType: string) =>
    new Set((await hits({ codeType, query: 'sprinklers doors' })).map(({ file }) => file.code.name));
  expect(await names('building')).toEqual(new Set(['Harborland Building Code']));
  expect([...(await names('fire'))].every((name) => name.includes('Fire'))).toBe(true);
});
proves(['instance:POST /codes/search#year'], 'codes are searched by their year', async () => {
  await code('year', 2021, ['2021', 2021.5], ({ results }) => results[0].file.code.year)();
  expect(new Set((await hits({})).map(({ file }) => file.code.year))).toEqual(new Set([2024]));
  expect(await hits({ year: 1999 })).toEqual([]);
});
proves(['instance:POST /codes/search#limit'], 'as many passages come as are asked for at most', async () => {
  await code('limit', 1, ['1', 0, 51, 1.5], ({ results }) => results.length)();
  expect((await hits({ query: 'building width ceiling door', limit: 2 })).length).toBe(2);
});
proves(['instance:POST /codes/search#keywords'], 'each phrase stands in the passage as it is', async () => {
  await code('keywords', ['direction of travel'], [7, 'x', [7], ['']], ({ results }) =>
    results.every(({ content }: { content: { text: string }[] }) => content[0]!.text.includes('direction of travel'))
      ? ['direction of travel']
      : results,
  )();
  expect(await hits({ query: 'doors', keywords: ['travel of direction'] })).toEqual([]);
});
proves(
  ['instance:POST /codes/search.1', 'instance:POST /codes/search.2'],
  'passages of building and fire codes come with their code, their jurisdiction and how it was adopted',
  async () => {
    for (const codeType of ['building', 'fire']) {
      const [first] = await hits({ codeType, query: 'sprinklers doors' });
      expect(first!.file).toMatchObject({
        code: { name: expect.stringMatching(codeType === 'fire' ? /Fire/ : /Building/), year: 2024 },
        jurisdiction: { slug: 'harborland', name: 'Harborland' },
        adoption: { effectiveDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), amendments: expect.any(Array) },
      });
    }
  },
);
