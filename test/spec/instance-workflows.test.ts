import { expect } from 'vitest';
import { memberWith, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';

const place = useInstance();
let made = 0;
const workflow = (more: object = {}) => place().owner.invoke('instance.workflows.create', { name: `workflow ${++made}`, ...more });
const get = (workflowId: string) => place().owner.invoke('instance.workflows.get', { workflowId });
const edit = (workflowId: string, more: object) => place().owner.invoke('instance.workflows.update', { workflowId, ...more });
const release = (workflowId: string, versionId: string) => place().owner.invoke('instance.workflows.release', { workflowId, versionId });
const run = (versionId: string, run: string, nanoUsd: number) => place().api.post('/__control/runs', { versionId, run, nanoUsd });

proves(['instance:workflow/1', 'instance:workflow/1#requestedFiles'], 'a list of workflows says what each asks for', async () => {
  const requestedFiles = [{ name: 'plan', description: 'a drawing', optional: true, multiple: false }];
  const { id } = await workflow({ name: 'asking', description: 'for a plan', requestedFiles });
  const { data } = await place().owner.invoke('instance.workflows.list', { query: 'asking' });
  expect(data).toEqual([{ id, name: 'asking', description: 'for a plan', requestedFiles }]);
});

proves(['instance:workflow/3'], 'the metadata of a workflow has these fields, each a string, and no other', async () => {
  const names = ['greeting', 'placeholder', 'icon', 'workflowClass', 'inputs', 'outputs'];
  const metadata = Object.fromEntries(names.map((name) => [name, `of ${name}`]));
  expect((await get((await workflow({ metadata })).id)).metadata).toEqual(metadata);
  for (const wrong of [{ other: 'x' }, { icon: 7 }]) {
    const headers = { authorization: `Bearer ${place().service.adminKeys.instance}` };
    expect((await place().api.post('/api/v0/workflows', { name: 'x', metadata: wrong }, headers)).status).toBe(400);
  }
});

proves(
  ['instance:workflow/4', 'instance:workflow/4#runCount', 'instance:workflow/4#totalCostUsd'],
  'a version says how often it was run and what that has cost',
  async () => {
    const { id: workflowId, versionId } = await workflow();
    await run(versionId, 'counted 1', 10_000_000);
    await run(versionId, 'counted 2', 30_000_000);
    const [version] = await place().owner.invoke('instance.workflows.versions', { workflowId });
    expect(version).toMatchObject({ runCount: 2, totalCostUsd: 0.04, averageCostUsd: 0.02, authorEmail: 'local@localhost' });
  },
);

proves(
  ['instance:states-and-transitions/8', 'instance:states-and-transitions/9'],
  'the first version is not released until it is, and a release goes forward and back',
  async () => {
    const { id, versionId: first } = await workflow();
    expect(await get(id)).toMatchObject({ releasedVersionId: null, version: { version: 1, isReleased: false } });
    await release(id, first);
    const { versionId: second } = await edit(id, { mode: 'high' });
    await release(id, second);
    expect(await release(id, first)).toMatchObject({ releasedVersionId: first, version: 1, previousReleasedVersionId: second });
    expect(await get(id)).toMatchObject({ releasedVersionId: first });
  },
);

proves(
  ['instance:states-and-transitions/10', 'instance:states-and-transitions/11', 'instance:versioning/3'],
  'a draft that nobody has run is edited where it is, anything else becomes a new version',
  async () => {
    const { id, versionId } = await workflow();
    expect(await edit(id, { mode: 'high' })).toMatchObject({ versionId, createdNewVersion: false });
    await run(versionId, 'of a draft', 1);
    const { versionId: second, ...next } = await edit(id, { mode: 'low' });
    expect(next).toMatchObject({ version: 2, createdNewVersion: true });
    expect(await edit(id, { baseVersionId: versionId })).toMatchObject({ version: 3, createdNewVersion: true });
    const { versionId: latest } = await edit(id, { model: 'small' });
    await release(id, latest);
    expect(await edit(id, { model: 'large' })).toMatchObject({ version: 4, createdNewVersion: true });
    const unchanged = await place().owner.invoke('instance.workflows.get', { workflowId: id, versionId: second });
    expect(unchanged.version).toMatchObject({ mode: 'low', model: 'auto' });
  },
);

proves(
  ['instance:POST /workflows/{workflowId}.1', 'instance:POST /workflows/{workflowId}#baseVersionId-default'],
  'what an edit leaves out is of its base version, the latest where none is named',
  async () => {
    const { id, versionId } = await workflow({ instructionMarkdown: 'one', linkedArtifacts: [{ name: 'form', content: '# a' }] });
    await release(id, versionId);
    await edit(id, { instructionMarkdown: 'two', mode: 'high' });
    await edit(id, { model: 'small' });
    expect((await get(id)).version).toMatchObject({
      instructionMarkdown: 'two',
      mode: 'high',
      model: 'small',
      linkedArtifacts: [{ name: 'form' }],
    });
    await edit(id, { baseVersionId: versionId });
    expect((await get(id)).version).toMatchObject({ instructionMarkdown: 'one', mode: 'low', model: 'auto' });
  },
);

proves(
  ['instance:GET /workflows/{workflowId}#versionId', 'instance:GET /workflows/{workflowId}/versions.2'],
  'versions come newest first, and the latest is the one that is read',
  async () => {
    const { id, versionId } = await workflow();
    await release(id, versionId);
    const { versionId: draft } = await edit(id, { mode: 'high' });
    expect((await get(id)).version.id).toBe(draft);
    expect((await place().owner.invoke('instance.workflows.versions', { workflowId: id })).map((each) => each.id)).toEqual([
      draft,
      versionId,
    ]);
  },
);

proves(
  ['instance:workflows/1', 'instance:GET /workflows/{workflowId}.1', 'instance:authentication/8'],
  'a workflow is of its maker alone',
  async () => {
    const { id: workflowId, versionId } = await workflow({ name: 'private' });
    const some = await memberWith(place());
    expect((await some.invoke('instance.workflows.list', { query: 'private' })).data).toEqual([]);
    for (const call of [
      some.invoke('instance.workflows.get', { workflowId }),
      some.invoke('instance.workflows.versions', { workflowId }),
      some.invoke('instance.workflows.update', { workflowId }),
      some.invoke('instance.workflows.release', { workflowId, versionId }),
    ])
      expect((await refusalOf(call)).status).toBe(404);
  },
);

proves(
  ['instance:workflows/3', 'instance:workflows/4'],
  'a release changes what others run of a shared workflow, and leaves it shared',
  async () => {
    const { id, versionId } = await workflow({ requestedFiles: [{ name: 'first' }] });
    const some = await memberWith(place());
    await release(id, versionId);
    await place().api.post('/__control/share', { workflowId: id, shared: true });
    const seen = async () =>
      (await some.invoke('instance.workflows.list', { limit: 100 })).data.find((each) => each.id === id)?.requestedFiles;
    const { versionId: next } = await edit(id, { requestedFiles: [{ name: 'second' }] });
    expect(await seen()).toEqual([{ name: 'first' }]);
    await release(id, next);
    expect([await seen(), (await get(id)).isShared]).toEqual([[{ name: 'second' }], true]);
  },
);
