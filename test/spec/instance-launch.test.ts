import { beforeAll, expect, test } from 'vitest';
import { ended, launched, launchedFrom, messagesOf, orders, quick, uploaded } from './instance-agents.ts';
import { asking } from './instance-fields.ts';
import { allOf, memberWith, newProject, plain, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';
import { nowhere } from './rows/made.ts';

const place = useInstance();
beforeAll(() => quick(place()));
const owner = () => place().owner;
const launch = (body: object) => plain(place()).post('/api/v0/agents', body);
const prompt = { text: 'Summarise: ships sail.' };

let names = 0;
const workflow = (more: object = {}) =>
  owner().invoke('instance.workflows.create', { name: `run ${++names}`, instructionMarkdown: 'Count the orders by status.', ...more });

const field = asking(launch, () => ({ prompt }));
const notIds = [7, 'no id', [nowhere]];

proves(
  ['instance:prompt-object/1', 'instance:prompt-object/1#prompt.text'],
  'a prompt has a text and may have images',
  field(
    'prompt.text',
    'List the emails of a@example.com.',
    [7, '', ' ', null],
    async ({ data }) => (await messagesOf(owner(), data.id))[0]!.text,
  ),
);

const pixel = Buffer.from('ffd8ffe000104a46494600', 'hex').toString('base64');
proves(
  ['instance:prompt-object/1#media_type', 'instance:prompt-object/1#data'],
  'an image of a prompt has its type and its bytes in base64',
  async () => {
    const send = (image: object) => launch({ prompt: { ...prompt, images: [image] } });
    expect((await send({ media_type: 'image/jpeg', data: pixel })).status).toBe(201);
    for (const wrong of [
      { data: pixel },
      { media_type: 'image/jpeg' },
      { media_type: 'text/plain', data: pixel },
      { media_type: 'image/jpeg', data: '§' },
    ])
      expect((await send(wrong)).status).toBe(400);
  },
);

test('the built-in worker says of the images of a prompt that it has looked at none, in the turn that they came with', async () => {
  const images = [{ media_type: 'image/jpeg' as const, data: pixel }];
  const { id } = await owner().invoke('instance.agents.launch', { prompt: { ...prompt, images } });
  await ended(owner(), id);
  await owner().invoke('instance.agents.followup', { id, prompt });
  await ended(owner(), id);
  const answers = (await messagesOf(owner(), id)).filter(({ type }) => type === 'assistant');
  expect(answers.map(({ text }) => text!.includes('Not looked at: 1 image of the prompt'))).toEqual([true, false]);
});

proves(
  ['instance:agents/1#model'],
  'a launch names its model',
  field('model', 'large', [7, ''], ({ data }) => data.model),
);
proves(
  ['instance:agents/1#mode'],
  'a launch names its mode',
  field('mode', 'high', [7, ''], () => 'high'),
);

proves(['instance:agents/1#projectId'], 'a launch names its project, which its user can read', async () => {
  const { id } = await newProject(owner());
  await field('projectId', id, notIds, ({ data }) => data.projectId)();
  const some = await memberWith(place());
  const inOther = some.invoke('instance.agents.launch', { prompt, projectId: id });
  expect((await refusalOf(inOther)).status).toBe(404);
});

proves(
  ['instance:agents/1#fileIds', 'instance:agents/3'],
  'an agent runs from the text of its prompt, with files that its user can read and with none',
  async () => {
    const id = await uploaded(owner(), 'mails.txt', 'Write to a@example.com.');
    await field('fileIds', [id], [7, ['no id'], id], ({ data }) => data.activeFileIds)();
    const { id: agent } = await owner().invoke('instance.agents.launch', { prompt: { text: 'Extract the emails.' }, fileIds: [id] });
    await ended(owner(), agent);
    expect((await messagesOf(owner(), agent)).at(-1)!.text).toBe('1 emails: a@example.com.');
    const alone = await launched(owner(), 'Extract the emails of b@example.com.');
    await ended(owner(), alone.id);
    expect((await messagesOf(owner(), alone.id)).at(-1)!.text).toBe('1 emails: b@example.com.');
    const some = await memberWith(place());
    const withOthers = some.invoke('instance.agents.launch', { prompt, fileIds: [id] });
    expect((await refusalOf(withOthers)).status).toBe(400);
    expect((await refusalOf(owner().invoke('instance.agents.launch', { prompt, fileIds: [id, nowhere] }))).status).toBe(400);
  },
);

proves(['instance:agents/1', 'instance:agents/2'], 'a launch takes these fields and no other, and neither nothing', async () => {
  expect(
    (await launch({ prompt, model: 'auto', mode: 'low', capabilities: { codeSearch: true, webSearch: true }, fileIds: [] })).status,
  ).toBe(201);
  for (const wrong of [{}, { prompt, source: {} }, { fileIds: [] }, { model: 'auto' }, { prompt, capabilities: { other: true } }])
    expect([wrong, (await launch(wrong)).status]).toEqual([wrong, 400]);
});

proves(['instance:agents/1#codeSearch'], 'codes are searched by an agent that is given the capability, and by no other', async () => {
  const tools = async (codeSearch: boolean) => {
    const { id } = await owner().invoke('instance.agents.launch', {
      prompt: { text: 'What do the codes say about doors?' },
      capabilities: { codeSearch },
    });
    await ended(owner(), id);
    return (await messagesOf(owner(), id, true)).flatMap(({ toolName }) => toolName ?? []);
  };
  expect([await tools(true), await tools(false)]).toEqual([['search_codes'], []]);
  for (const wrong of ['yes', 1]) expect((await launch({ prompt, capabilities: { codeSearch: wrong } })).status).toBe(400);
});

proves(
  ['instance:agents/1#webSearch'],
  'an agent that may search the web says that none is reached here, once, and no other does',
  async () => {
    const said = async (capabilities: object) => {
      const { id } = await owner().invoke('instance.agents.launch', {
        prompt: { text: 'Extract the emails of a@example.com.' },
        capabilities,
      });
      await ended(owner(), id);
      await owner().invoke('instance.agents.followup', { id, prompt: { text: 'Extract the emails of b@example.com.' } });
      await ended(owner(), id);
      const messages = await messagesOf(owner(), id, true);
      return {
        steps: messages.filter(({ toolName }) => toolName === 'search_web').map(({ status }) => status),
        words: messages.filter(({ text }) => text?.includes('the web was not searched')).map(({ type }) => type),
      };
    };
    expect(await said({ webSearch: true })).toEqual({ steps: ['failed'], words: ['thinking', 'assistant'] });
    expect(await said({ webSearch: false, codeSearch: true })).toEqual({ steps: [], words: [] });
    for (const [webSearch, status] of [
      [true, 201],
      [false, 201],
      ['yes', 400],
      [1, 400],
    ] as const)
      expect([webSearch, (await launch({ prompt, capabilities: { webSearch } })).status]).toEqual([webSearch, status]);
  },
);

proves(
  ['instance:agents/4', 'instance:agents/1#workflowId', 'instance:GET /agents#workflowId'],
  'with a workflow its agent is launched, and agents are listed by their workflow or without those of any',
  async () => {
    const { id: workflowId } = await workflow({ instructionMarkdown: 'Extract the emails.' });
    const alone = await launched(owner(), 'Summarise: ships sail.');
    const made = await launchedFrom(owner(), workflowId, { prompt: { text: 'Those of c@example.com.' } });
    expect(made).toMatchObject({ workflowId });
    await ended(owner(), made.id);
    expect((await messagesOf(owner(), made.id)).at(-1)!.text).toBe('1 emails: c@example.com.');
    const ids = async (of?: string) =>
      (await allOf(owner().pages('instance.agents.list', { limit: 100, ...(of === undefined ? {} : { workflowId: of }) }))).map(
        ({ id }) => id,
      );
    expect(await ids(workflowId)).toEqual([made.id]);
    expect(await ids('null')).not.toContain(made.id);
    expect(await ids('null')).toContain(alone.id);
    expect(await ids()).toEqual(expect.arrayContaining([made.id, alone.id]));
    for (const wrong of notIds) expect((await launch({ workflowId: wrong })).status).toBe(400);
    expect((await launch({ workflowId: nowhere })).status).toBe(404);
    expect((await plain(place()).get('/api/v0/agents?workflowId=none')).status).toBe(400);
  },
);

proves(
  ['instance:agents/5', 'instance:agents/1#workflowInputs'],
  'what fills the slots of a workflow takes the place of a prompt',
  async () => {
    const { id: workflowId } = await workflow({ requestedFiles: [{ name: 'list' }, { name: 'more', optional: true, multiple: true }] });
    const id = await uploaded(owner(), 'slots.csv', orders);
    const agent = await launchedFrom(owner(), workflowId, { workflowInputs: { list: id } });
    expect(agent.activeFileIds).toEqual([id]);
    await ended(owner(), agent.id);
    const said = await messagesOf(owner(), agent.id);
    expect(said.map(({ type }) => type)).toEqual(['assistant']);
    expect(said[0]!.text).toContain('open 2');
    for (const workflowInputs of [{}, { other: id }, { list: [id, id] }, { list: 7 }, { list: nowhere }, { list: id, other: id }])
      expect([workflowInputs, (await launch({ workflowId, workflowInputs })).status]).toEqual([workflowInputs, 400]);
    expect((await launch({ workflowId, fileIds: [id] })).status).toBe(400);
    expect((await launch({ prompt, workflowInputs: { list: id } })).status).toBe(400);
  },
);

proves(
  ['instance:agents/6', 'instance:errors/refused', 'instance:errors/refused.1'],
  'a version that is not released is launched by who may edit the workflow, and refused to others',
  async () => {
    const { id: workflowId, versionId: first } = await workflow({ instructionMarkdown: 'Extract the emails.' });
    await owner().invoke('instance.workflows.release', { workflowId, versionId: first });
    const { versionId: draft } = await owner().invoke('instance.workflows.update', {
      workflowId,
      instructionMarkdown: 'Extract the dates.',
    });
    await place().api.post('/__control/share', { workflowId, shared: true });
    const some = await memberWith(place());
    const of = (workflowVersionId: string) => ({ workflowVersionId, prompt });
    expect((await refusalOf(launchedFrom(some, workflowId, of(draft)))).status).toBe(403);
    expect((await some.invoke('instance.agents.list', {})).data).toEqual([]);
    expect(await launchedFrom(some, workflowId, of(first))).toMatchObject({ workflowVersionId: first });
    expect(await launchedFrom(some, workflowId, { prompt })).toMatchObject({ workflowVersionId: first });
    expect(await launchedFrom(owner(), workflowId, of(draft))).toMatchObject({ workflowVersionId: draft });
  },
);

proves(
  ['instance:errors/refused.2', 'instance:agents/1#workflowVersionId'],
  'a version is one of the workflow that is named with it',
  async () => {
    const [one, other] = [await workflow(), await workflow()];
    expect(await launchedFrom(owner(), one.id, { workflowVersionId: one.versionId, prompt })).toMatchObject({
      workflowVersionId: one.versionId,
    });
    for (const wrong of [other.versionId, nowhere, 'no id', 7])
      expect([wrong, (await launch({ workflowId: one.id, workflowVersionId: wrong, prompt })).status]).toEqual([wrong, 400]);
    expect((await launch({ workflowVersionId: one.versionId, prompt })).status).toBe(400);
    const some = await memberWith(place());
    expect((await refusalOf(launchedFrom(some, one.id, { workflowVersionId: one.versionId, prompt }))).status).toBe(404);
  },
);

proves(['instance:POST /agents#data', 'instance:POST /agents.1'], 'a launch is answered by the detail of the agent', async () => {
  const { status, body } = await launch({ prompt });
  expect([status, Object.keys(body)]).toEqual([201, ['data']]);
  const { status: at, updatedAt: _, ...rest } = body.data;
  expect(['waiting', 'running']).toContain(at);
  await ended(owner(), body.data.id);
  const { status: __, updatedAt: ___, artifacts: ____, ...read } = (await plain(place()).get(`/api/v0/agents/${body.data.id}`)).body.data;
  expect({ ...read, artifacts: [] }).toEqual({ ...rest });
});

proves(['instance:files/3'], 'a file that is still processed is no input of a launch: its status is polled first', async () => {
  const fault = { operation: 'file.ingesting', do: { hold: 'before' } };
  const { id: hold } = (await place().api.post('/__control/faults', fault)).body as { id: string };
  const { id } = await owner().invoke('instance.files.upload', { file: new File(['%PDF-1.7'], 'plan.pdf'), path: 'plan.pdf' });
  const { id: workflowId } = await workflow({ requestedFiles: [{ name: 'plan' }] });
  const refused = await launch({ workflowId, workflowInputs: { plan: id } });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('processing')]);
  expect((await launch({ prompt, fileIds: [id] })).status).toBe(400);
  await place().api.post('/__control/release', { id: hold });
  await expect.poll(async () => (await owner().invoke('instance.files.status', { id })).status).toBe('ready');
  expect((await launch({ workflowId, workflowInputs: { plan: id } })).status).toBe(201);
});
