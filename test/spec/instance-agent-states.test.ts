import { beforeEach, expect } from 'vitest';
import { statuses } from '../../contracts/instance/agent-shapes.ts';
import { ended, held, launched, messagesOf, orders, quick, seen, slow } from './instance-agents.ts';
import { nowhere } from './rows/made.ts';
import { memberWith, plain, useInstance } from './instance-place.ts';
import { refusalOf, statusesOf } from './place.ts';
import { proves } from './proves.ts';

const place = useInstance();
beforeEach(() => quick(place()));
const owner = () => place().owner;
const get = (id: string) => owner().invoke('instance.agents.get', { id });
const stop = (id: string) => owner().invoke('instance.agents.stop', { id });
const followup = (id: string, text = 'Summarise: they float.') => owner().invoke('instance.agents.followup', { id, prompt: { text } });
const remove = (id: string) => owner().invoke('instance.agents.remove', { id });
const journalOf = async (subject: string): Promise<string[]> =>
  (await place().api.get('/__control/journal')).body.rows.flatMap((row: { subject: string; operation: string; changed: number }) =>
    row.subject === subject && row.changed > 0 ? [row.operation] : [],
  );

/** An agent of each status. */
async function ofEachStatus(): Promise<Record<string, string>> {
  const finished = (await launched(owner(), 'Summarise: ships sail.')).id;
  await seen(owner(), finished, 'finished');
  const awaiting = (await launched(owner(), 'Ask me which ship is meant.')).id;
  await seen(owner(), awaiting, 'awaiting_tool');
  const stopped = (await launched(owner(), 'Ask me which ship is meant.')).id;
  await stop(stopped);
  await seen(owner(), stopped, 'stopped');
  await place().api.post('/__control/agents', { failures: { left: 1, category: 'authentication', again: false } });
  const failed = (await launched(owner(), 'Summarise: ships sail.')).id;
  await seen(owner(), failed, 'failed');
  await slow(place());
  const running = (await launched(owner(), 'Summarise: ships sail.')).id;
  await seen(owner(), running, 'running');
  await quick(place());
  return { finished, awaiting_tool: awaiting, stopped, failed, running };
}

proves(
  ['instance:agent-summary/status', 'instance:states-and-transitions/1', 'instance:GET /agents#status'],
  'an agent waits, runs, awaits a tool, has finished, was stopped or has failed, and is listed by its status',
  async () => {
    const by = await ofEachStatus();
    // All four places of those who work are taken, so that the next one waits.
    const busy: (() => Promise<void>)[] = [];
    for (let at = 0; at < 4; at++) busy.push(await held(place(), () => launched(owner(), `Summarise: ship ${at} sails.`)));
    by['waiting'] = (await launched(owner(), 'Summarise: ships wait.')).id;
    for (const status of statuses) {
      const { data } = await owner().invoke('instance.agents.list', { status, limit: 100 });
      expect([status, data.map(({ id }) => id)]).toEqual([status, expect.arrayContaining([by[status]])]);
      expect(new Set(data.map((each) => each.status))).toEqual(new Set([status]));
    }
    for (const release of busy) await release();
    const { status } = await plain(place()).get('/api/v0/agents?status=done');
    expect(status).toBe(400);
  },
);

proves(
  ['instance:states-and-transitions/running', 'instance:states-and-transitions/running.1', 'instance:states-and-transitions/running.4'],
  'who runs is asked to stop, and is seen to have stopped some time after the answer',
  async () => {
    let id = '';
    const release = await held(place(), async () => (id = (await launched(owner(), 'Summarise: ships sail.')).id));
    expect([(await stop(id)).status, (await get(id)).status]).toEqual(['running', 'running']);
    await release();
    expect((await ended(owner(), id)).status).toBe('stopped');
    expect((await messagesOf(owner(), id)).map(({ type }) => type)).toEqual(['user']);
  },
);

proves(
  ['instance:states-and-transitions/running.2', 'instance:states-and-transitions/running.3', 'instance:POST /agents/{id}/stop.1'],
  'a stop is answered by the summary of an agent that runs still, and its end is polled',
  async () => {
    await slow(place());
    const { id } = await launched(owner(), 'Summarise: ships sail.');
    await seen(owner(), id, 'running');
    const answer = await stop(id);
    const { activeFileIds: _, parentSessionId: __, model: ___, ...summary } = await ended(owner(), id);
    expect({ ...answer, status: 'stopped', updatedAt: summary.updatedAt }).toEqual(summary);
  },
);

proves(['instance:POST /agents/{id}/stop#data'], 'the answer of a stop is a summary in data', async () => {
  const { id } = await launched(owner(), 'Summarise: ships sail.');
  await ended(owner(), id);
  const { body } = await plain(place()).post(`/api/v0/agents/${id}/stop`);
  expect(Object.keys(body)).toEqual(['data']);
  expect(body.data).toMatchObject({ id, status: 'finished' });
  expect(body.data).not.toHaveProperty('activeFileIds');
});

proves(
  [
    'instance:states-and-transitions/any-terminal-state',
    'instance:states-and-transitions/any-terminal-state.1',
    'instance:states-and-transitions/any-terminal-state.3',
  ],
  'to stop what has ended, and to stop twice, changes nothing',
  async () => {
    const { finished, stopped, failed } = await ofEachStatus();
    for (const id of [finished!, stopped!, failed!]) {
      const before = await get(id);
      expect([(await stop(id)).status, (await stop(id)).status]).toEqual([before.status, before.status]);
      expect(await get(id)).toEqual(before);
    }
    await slow(place());
    const { id } = await launched(owner(), 'Summarise: ships sail.');
    await seen(owner(), id, 'running');
    await Promise.all([stop(id), stop(id), stop(id)]);
    await seen(owner(), id, 'stopped');
    expect((await journalOf(`agent/${id}`)).filter((operation) => operation === 'instance.agents.stop')).toHaveLength(1);
  },
);

proves(
  ['instance:states-and-transitions/any-terminal-state.2'],
  'an agent that waits, or awaits a tool, is stopped as one that runs is',
  async () => {
    const { id } = await launched(owner(), 'Ask me which ship is meant.');
    await seen(owner(), id, 'awaiting_tool');
    await stop(id);
    expect((await ended(owner(), id)).status).toBe('stopped');
    const busy: (() => Promise<void>)[] = [];
    for (let at = 0; at < 4; at++) busy.push(await held(place(), () => launched(owner(), `Summarise: ship ${at} sails.`)));
    const waiting = await launched(owner(), 'Summarise: ships wait.');
    await stop(waiting.id);
    for (const release of busy) await release();
    expect((await ended(owner(), waiting.id)).status).toBe('stopped');
  },
);

proves(
  [
    'instance:states-and-transitions/finished-stopped-or-failed',
    'instance:states-and-transitions/finished-stopped-or-failed.1',
    'instance:states-and-transitions/finished-stopped-or-failed.3',
  ],
  'who has finished, was stopped or has failed takes a further prompt, and nobody else',
  async () => {
    const { finished, stopped, failed, running, awaiting_tool } = await ofEachStatus();
    for (const id of [running!, awaiting_tool!]) {
      const before = await messagesOf(owner(), id);
      expect((await refusalOf(followup(id))).status).toBe(409);
      expect(await messagesOf(owner(), id)).toEqual(before);
    }
    for (const id of [finished!, stopped!, failed!]) {
      await followup(id);
      expect(await ended(owner(), id)).toMatchObject({ status: 'finished', retry: null });
      expect((await messagesOf(owner(), id)).at(-1)).toMatchObject({ type: 'assistant' });
    }
  },
);

proves(
  [
    'instance:states-and-transitions/finished-stopped-or-failed.2',
    'instance:states-and-transitions/finished-stopped-or-failed.4',
    'instance:POST /agents/{id}/followup.1',
  ],
  'a further prompt is answered by the detail of the agent at once, and its turn goes on behind that',
  async () => {
    const { id } = await launched(owner(), 'Extract the dates.', { 'due.txt': 'Due on 2026-11-24, pay $5.' });
    await ended(owner(), id);
    let detail: unknown;
    const release = await held(place(), async () => (detail = await followup(id, 'Now extract the amounts.')));
    expect(detail).toMatchObject({ id, status: 'waiting', activeFileIds: [expect.any(String)], model: 'auto', parentSessionId: null });
    expect((await get(id)).status).toBe('running');
    expect((await messagesOf(owner(), id)).at(-1)).toMatchObject({ type: 'user', text: 'Now extract the amounts.' });
    await release();
    await ended(owner(), id);
    expect((await messagesOf(owner(), id)).at(-1)!.text).toBe('1 amounts: $5.');
  },
);

proves(
  ['instance:POST /agents/{id}/followup#prompt', 'instance:POST /agents/{id}/followup#data'],
  'a follow-up is a prompt with words, and nothing without',
  async () => {
    const { id } = await launched(owner(), 'Summarise: ships sail.');
    await ended(owner(), id);
    const send = (body: object) => plain(place()).post(`/api/v0/agents/${id}/followup`, body);
    for (const wrong of [{}, { prompt: 'text' }, { prompt: { text: ' ' } }, { prompt: {} }]) expect((await send(wrong)).status).toBe(400);
    const { body } = await send({ prompt: { text: 'Once more.' } });
    expect([Object.keys(body), body.data.id]).toEqual([['data'], id]);
    await ended(owner(), id);
  },
);

proves(
  ['instance:DELETE /agents/{id}.1', 'instance:states-and-transitions/running-delete-/agents/{id}.1'],
  'an agent is deleted with its messages and its sub-agents, and is found nowhere any more',
  async () => {
    const { id } = await launched(owner(), 'Count the orders by status. Use sub-agents for each file.', { 'gone.csv': orders });
    await ended(owner(), id);
    const [sub] = (await messagesOf(owner(), id, true)).flatMap(({ subAgentIds }) => subAgentIds ?? []);
    const { artifacts } = await get(sub!);
    await remove(id);
    for (const gone of [id, sub!]) {
      for (const operation of ['get', 'conversation', 'usage', 'stop', 'remove'] as const)
        expect((await refusalOf(owner().invoke(`instance.agents.${operation}`, { id: gone }))).status).toBe(404);
      expect((await refusalOf(followup(gone))).status).toBe(404);
      const of = { id: gone, artifactId: artifacts![0]!.id };
      expect((await refusalOf(owner().invoke('instance.agents.artifact', of))).status).toBe(404);
    }
    const { data } = await owner().invoke('instance.agents.list', { limit: 100 });
    expect(data.map((each) => each.id)).not.toContain(id);
  },
);

proves(
  [
    'instance:states-and-transitions/running-delete-/agents/{id}',
    'instance:states-and-transitions/running-delete-/agents/{id}.2',
    'instance:states-and-transitions/running-delete-/agents/{id}.3',
  ],
  'who runs is told to let go before it is deleted, and says nothing any more',
  async () => {
    let id = '';
    const release = await held(place(), async () => (id = (await launched(owner(), 'Summarise: ships sail.')).id));
    let over = false;
    const removed = remove(id).then(() => (over = true));
    for (let at = 0; at < 20; at++) await get(id).catch(() => undefined);
    expect(over).toBe(false);
    await release();
    await removed;
    expect((await refusalOf(owner().invoke('instance.agents.conversation', { id }))).status).toBe(404);
    // What it had asked its model for is charged to nobody: the next one runs as ever.
    const next = await launched(owner(), 'Summarise: ships sail.');
    expect((await ended(owner(), next.id)).status).toBe('finished');
  },
);

proves(
  ['instance:limits/delete-waits-up-to-10-seconds-for-a-running-agent', 'instance:states-and-transitions/running-delete-/agents/{id}.4'],
  'who does not let go is deleted all the same after ten seconds',
  async () => {
    let id = '';
    const release = await held(place(), async () => (id = (await launched(owner(), 'Summarise: ships sail.')).id));
    const began = performance.now();
    await remove(id);
    expect(performance.now() - began).toBeGreaterThan(9_000);
    expect((await refusalOf(get(id))).status).toBe(404);
    await release();
  },
);

proves(['instance:DELETE /agents/{id}.2'], 'what a deleted agent has made is kept, and is of no agent any more', async () => {
  const { id } = await launched(owner(), 'Count the orders by status.', { 'kept.csv': orders });
  const { artifacts } = await ended(owner(), id);
  const made = async () => {
    const { rows } = (await place().api.get('/__control/artifacts')).body as { rows: { id: string; creatingSessionId: string | null }[] };
    return rows.find((each) => each.id === artifacts![0]!.id);
  };
  expect(await made()).toMatchObject({ creatingSessionId: id, type: 'TABLE', name: 'kept.csv: count by status' });
  await remove(id);
  expect(await made()).toMatchObject({ creatingSessionId: null, type: 'TABLE', name: 'kept.csv: count by status' });
});

proves(
  ['instance:DELETE /agents/{id}.3'],
  'files that were uploaded for an agent go some time after it, those that others read stay',
  async () => {
    const { id: parentId } = await owner().invoke('instance.files.tempFolder', {});
    const upload = async (name: string) => (await owner().invoke('instance.files.upload', { file: new File([name], name), parentId })).id;
    const [alone, shared, own] = [
      await upload('alone.txt'),
      await upload('shared.txt'),
      (await launched(owner(), 'x', { 'own.txt': 'x' })).activeFileIds![0]!,
    ];
    const launch = (fileIds: string[]) => owner().invoke('instance.agents.launch', { prompt: { text: 'Summarise.' }, fileIds });
    const first = await launch([alone, shared, own]);
    const second = await launch([shared]);
    await ended(owner(), first.id);
    await ended(owner(), second.id);
    await remove(first.id);
    const status = (id: string) => owner().invoke('instance.files.status', { id });
    await expect.poll(async () => (await refusalOf(status(alone)).catch(() => undefined))?.status).toBe(404);
    expect(await Promise.all([status(shared), status(own)])).toMatchObject([{ status: 'ready' }, { status: 'ready' }]);
    await remove(second.id);
    await expect.poll(async () => (await refusalOf(status(shared)).catch(() => undefined))?.status).toBe(404);
  },
);

proves(['instance:agents/8'], 'an agent is there for its user alone', async () => {
  const { id } = await launched(owner(), 'Count the orders by status.', { 'mine.csv': orders });
  const { artifacts } = await ended(owner(), id);
  const other = await memberWith(place(), ['developer', 'admin']);
  const artifactId = artifacts![0]!.id;
  const refused = await statusesOf([
    other.invoke('instance.agents.get', { id }),
    other.invoke('instance.agents.conversation', { id }),
    other.invoke('instance.agents.usage', { id }),
    other.invoke('instance.agents.artifact', { id, artifactId }),
    other.invoke('instance.agents.export', { id, artifactId, format: 'csv' }),
    other.invoke('instance.agents.stop', { id }),
    other.invoke('instance.agents.followup', { id, prompt: { text: 'x' } }),
    other.invoke('instance.agents.remove', { id }),
  ]);
  expect(new Set(refused)).toEqual(new Set([404]));
  expect((await other.invoke('instance.agents.list', {})).data).toEqual([]);
  expect((await get(id)).status).toBe('finished');
});

proves(
  ['instance:agents/7', 'instance:authentication/5'],
  'a key for analytics of an administrator reads agents, conversations and usage of all users of the organization',
  async () => {
    const member = await memberWith(place());
    const { id } = await launched(member, 'Count the orders by status.', { 'theirs.csv': orders });
    const { artifacts } = await ended(member, id);
    const made = (await place().api.post('/__control/keys', { service: 'instance', name: 'analytics', scopes: ['admin:analytics:read'] }))
      .body;
    const analyst = place().withKey(made.key);
    expect((await analyst.invoke('instance.agents.get', { id })).status).toBe('finished');
    expect((await analyst.invoke('instance.agents.conversation', { id })).messages).toHaveLength(2);
    expect((await analyst.invoke('instance.agents.usage', { id })).spend).toHaveLength(1);
    const artifactId = artifacts![0]!.id;
    const refused = await statusesOf([
      analyst.invoke('instance.agents.list', {}),
      analyst.invoke('instance.agents.artifact', { id, artifactId }),
      analyst.invoke('instance.agents.stop', { id }),
      analyst.invoke('instance.agents.remove', { id }),
      analyst.invoke('instance.agents.followup', { id, prompt: { text: 'x' } }),
    ]);
    expect(new Set(refused)).toEqual(new Set([403]));
    const noAdministrator = await memberWith(place(), ['admin:analytics:read']);
    expect((await refusalOf(noAdministrator.invoke('instance.agents.get', { id }))).status).toBeGreaterThanOrEqual(403);
    expect((await refusalOf(analyst.invoke('instance.agents.get', { id: nowhere }))).status).toBe(404);
  },
);
