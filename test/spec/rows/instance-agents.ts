import { expect } from 'vitest';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

const orders = 'order,status,amount\n1,open,10.5\n2,paid,20\n3,open,4.5\n';

/** The agent once its turn is over. */
async function ended(at: Shown, id: string) {
  for (;;) {
    const agent = await at.invoke('instance.agents.get', { id });
    if (['finished', 'stopped', 'failed'].includes(agent.status)) return agent;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function launched(at: Shown, text: string, file?: [name: string, content: string]) {
  const fileIds = file ? [(await at.invoke('instance.files.upload', { file: new File([file[1]], file[0]), path: file[0] })).id] : [];
  return at.invoke('instance.agents.launch', { prompt: { text }, fileIds });
}

/** An agent that has counted the orders of a file, and its table. */
async function counted(at: Shown, name: string) {
  const { id } = await launched(at, 'Count the orders by status.', [name, orders]);
  const agent = await ended(at, id);
  return { id, table: agent.artifacts!.find(({ type }) => type === 'TABLE')!.id, agent };
}

const other = async (at: Shown) => at.withKey((await at.user({ service: 'instance', scopes: ['developer:agent'] })).token);

export const instanceAgents = {
  'instance.agents.list': {
    readBack: 'instance.agents.get',
    async run(at) {
      const { id } = await launched(at, 'List the emails of a@example.com.');
      const { data } = await at.invoke('instance.agents.list', { limit: 1, workflowId: 'null' });
      expect(data).toMatchObject([{ id, title: 'List the emails of a@example.com.', workflowId: null, retry: null }]);
      await ended(at, id);
      expect((await at.invoke('instance.agents.list', { limit: 1, status: 'finished' })).data[0]!.id).toBe(id);
      expect((await (await other(at))('instance.agents.list', {})).data).toEqual([]);
      expect(await at.refused(at.invoke('instance.agents.list', { cursor: nowhere }))).toBe(400);
    },
  },
  'instance.agents.launch': {
    readBack: 'instance.agents.conversation',
    async run(at) {
      const { id, status, activeFileIds } = await launched(at, 'Extract the emails.', ['mails.txt', 'Write to a@example.com.']);
      expect([status, activeFileIds!.length]).toEqual(['waiting', 1]);
      expect(await ended(at, id)).toMatchObject({ status: 'finished' });
      const { messages } = await at.invoke('instance.agents.conversation', { id });
      expect(messages.map(({ type, text }) => [type, text])).toEqual([
        ['user', 'Extract the emails.'],
        ['assistant', '1 emails: a@example.com.'],
      ]);
      expect(await at.refused(at.invoke('instance.agents.launch', { prompt: { text: 'Read.' }, fileIds: [nowhere] }))).toBe(400);
    },
  },
  'instance.agents.get': {
    readBack: 'instance.agents.list',
    async run(at) {
      const { id } = await launched(at, 'Summarise: ships sail.');
      expect(await at.invoke('instance.agents.get', { id })).toMatchObject({ id, model: 'auto', parentSessionId: null, activeFileIds: [] });
      expect((await at.invoke('instance.agents.list', { limit: 1 })).data[0]!.id).toBe(id);
      expect(await at.refused((await other(at))('instance.agents.get', { id }))).toBe(404);
    },
  },
  'instance.agents.conversation': {
    readBack: 'instance.agents.get',
    async run(at) {
      const { id } = await counted(at, 'conversation.csv');
      const typesOf = async (steps: boolean): Promise<string[]> =>
        (await at.invoke('instance.agents.conversation', { id, ...(steps ? { include: ['steps'] } : {}) })).messages.map(
          ({ type }) => type,
        );
      expect(await typesOf(false)).toEqual(['user', 'assistant']);
      const withSteps = await typesOf(true);
      expect([withSteps[0], withSteps.at(-1), new Set(withSteps)]).toEqual([
        'user',
        'assistant',
        new Set(['user', 'thinking', 'tool', 'assistant']),
      ]);
      expect((await at.invoke('instance.agents.get', { id })).status).toBe('finished');
      expect(await at.refused(at.invoke('instance.agents.conversation', { id: nowhere }))).toBe(404);
    },
  },
  'instance.agents.usage': {
    readBack: 'instance.agents.get',
    async run(at) {
      const { id } = await counted(at, 'usage.csv');
      const { spend } = await at.invoke('instance.agents.usage', { id });
      const [{ model, costUsd, inputTokens, outputTokens, cacheReadTokens }] = spend as [(typeof spend)[number]];
      expect(model).toBe('built-in');
      // 1 $ for a million tokens read, 5 $ for a million written, a tenth for those read again.
      expect(costUsd).toBeCloseTo((inputTokens! + 5 * outputTokens! + 0.1 * cacheReadTokens!) / 1e6, 9);
      expect(costUsd).toBeGreaterThan(0);
      expect((await at.invoke('instance.agents.get', { id })).id).toBe(id);
      expect(await at.refused((await other(at))('instance.agents.usage', { id }))).toBe(404);
    },
  },
  'instance.agents.artifact': {
    readBack: 'instance.agents.get',
    async run(at) {
      const { id, table } = await counted(at, 'artifact.csv');
      expect(await at.invoke('instance.agents.artifact', { id, artifactId: table })).toMatchObject({
        type: 'TABLE',
        version: 1,
        content: {
          schema: [
            { name: 'status', type: 'string' },
            { name: 'count', type: 'number' },
          ],
          elements: [
            { status: 'open', count: 2 },
            { status: 'paid', count: 1 },
          ],
        },
      });
      expect((await at.invoke('instance.agents.get', { id })).artifacts).toMatchObject([{ id: table, type: 'TABLE' }]);
      expect(await at.refused(at.invoke('instance.agents.artifact', { id, artifactId: nowhere }))).toBe(404);
    },
  },
  'instance.agents.export': {
    readBack: 'instance.agents.artifact',
    async run(at) {
      const { id, table } = await counted(at, 'export.csv');
      const made = await at.invoke('instance.agents.export', { id, artifactId: table, format: 'csv' });
      expect(made).toMatchObject({ format: 'csv', version: 1, mimeType: 'text/csv' });
      expect((await at.invoke('instance.agents.artifact', { id, artifactId: table })).version).toBe(made.version);
      const file = await fetch(made.url);
      expect([file.status, await file.text()]).toEqual([200, 'status,count\nopen,2\npaid,1\n']);
      expect(await at.refused(at.invoke('instance.agents.export', { id, artifactId: table, format: 'drawing_review_pdf' }))).toBe(400);
    },
  },
  'instance.agents.stop': {
    readBack: 'instance.agents.get',
    async run(at) {
      const { id } = await launched(at, 'Ask me which ship is meant.');
      await at.invoke('instance.agents.stop', { id });
      expect(await ended(at, id)).toMatchObject({ status: 'stopped' });
      expect(await at.invoke('instance.agents.stop', { id })).toMatchObject({ id, status: 'stopped' });
      expect(await at.refused((await other(at))('instance.agents.stop', { id }))).toBe(404);
    },
  },
  'instance.agents.followup': {
    readBack: 'instance.agents.conversation',
    async run(at) {
      const { id } = await launched(at, 'Extract the dates.', ['dates.txt', 'Due on 2026-11-24, pay $5.']);
      expect(await at.refused(at.invoke('instance.agents.followup', { id, prompt: { text: 'Too soon.' } }))).toBe(409);
      await ended(at, id);
      await at.invoke('instance.agents.followup', { id, prompt: { text: 'Now extract the amounts.' } });
      await ended(at, id);
      const { messages } = await at.invoke('instance.agents.conversation', { id });
      expect(messages.map(({ text }) => text)).toEqual([
        'Extract the dates.',
        '1 dates: 2026-11-24.',
        'Now extract the amounts.',
        '1 amounts: $5.',
      ]);
    },
  },
  'instance.agents.remove': {
    readBack: 'instance.agents.list',
    async run(at) {
      const { id } = await launched(at, 'Ask me which ship is meant.');
      await at.invoke('instance.agents.remove', { id });
      expect((await at.invoke('instance.agents.list', { limit: 100 })).data.map((agent) => agent.id)).not.toContain(id);
      expect(await at.refused(at.invoke('instance.agents.remove', { id }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
