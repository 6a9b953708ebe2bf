import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTables } from '../../child/host/create-tables.ts';
import { createCalls, type Calls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import { createControl, type Control } from '../support/control.ts';
import { docxOf, paragraph } from './docx-writer.ts';
import { pagesOf } from '../support/pdf-pages.ts';
import { readyFile } from '../support/ready-file.ts';
import { pdfOf } from './pdf-writer.ts';
import { startService, type Running } from './running.ts';
import { callsOf, createWorld, unlimited, type World } from './world.ts';

const orders = 'order,status,amount\n1,open,10.5\n2,paid,20\n3,open,4.5\n';

type Agents = Pick<Calls, 'invoke'>;

/** The agent once it is as it is waited for. */
async function seen({ invoke }: Agents, id: string, ...statuses: string[]) {
  for (;;) {
    const agent = await invoke('instance.agents.get', { id });
    if (statuses.includes(agent.status)) return agent;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const ended = (calls: Agents, id: string) => seen(calls, id, 'finished', 'stopped', 'failed');

async function launch({ invoke }: Agents, text: string, files: Record<string, string | Uint8Array<ArrayBuffer>> = {}): Promise<string> {
  const fileIds = [];
  for (const [name, content] of Object.entries(files)) fileIds.push((await readyFile({ invoke }, name, content)).id);
  return (await invoke('instance.agents.launch', { prompt: { text }, fileIds })).id;
}

async function lastWord({ invoke }: Agents, id: string): Promise<string> {
  const { messages } = await invoke('instance.agents.conversation', { id });
  return messages.at(-1)!.text!;
}

describe('agents of a service that runs', () => {
  let world: World;
  let calls: Calls;
  let control: Control;
  beforeAll(async () => {
    world = await createWorld({ agents: { pace: { from: 0, to: 0 } } });
    await world.service.listen();
    calls = callsOf(world, world.service.adminKeys.instance);
    control = createControl(() => world.service.url);
    await unlimited(world);
  });
  afterEach(async () => {
    await control.clock(0);
    await control.agents({ pace: { from: 0, to: 0 }, failures: { left: 0 } });
  });
  afterAll(async () => world?.[Symbol.asyncDispose]());

  test('PDF and DOCX files are read by the parser, and one that is damaged is named with the reason', async () => {
    const id = await launch(calls, 'Extract the emails.', {
      'letter.pdf': new Uint8Array(
        pdfOf([[{ x: 72, y: 700, text: 'Write to ada@example.com' }], [{ x: 72, y: 700, text: 'or ben@example.com' }]]),
      ),
      'letter.docx': new Uint8Array(docxOf({ body: paragraph('And to cyd@example.com.') })),
      'broken.pdf': '%PDF-1.7 and nothing else',
    });
    expect((await ended(calls, id)).status).toBe('finished');
    const word = await lastWord(calls, id);
    for (const said of ['ada@example.com', 'ben@example.com', 'cyd@example.com', /Could not be read: broken\.pdf: .*damaged/])
      expect(word).toMatch(said);
  });

  test('a review of drawings has its remarks by file and page, and is exported as a PDF of them', async () => {
    const page = (...lines: string[]) => lines.map((text, at) => ({ x: 72, y: 700 - 30 * at, text }));
    const plan = pdfOf([
      page('PLAN A-101', 'Door widths TBD by owner.'),
      page('SECTION', 'All is shown.'),
      page('Beam depth: verify on site.'),
    ]);
    const id = await launch(calls, 'Review the drawings.', { 'plan.pdf': new Uint8Array(plan) });
    expect((await ended(calls, id)).status).toBe('finished');
    expect(await lastWord(calls, id)).toContain('plan.pdf: 2 remarks.');
    const [{ id: artifactId } = { id: '' }] = (await calls.invoke('instance.agents.get', { id })).artifacts ?? [];
    const artifact = await calls.invoke('instance.agents.artifact', { id, artifactId });
    expect(artifact).toMatchObject({
      type: 'DRAWING_REVIEW',
      content: {
        files: [
          {
            name: 'plan.pdf',
            remarks: [
              { page: 1, text: '“Door widths TBD by owner.” is left open.' },
              { page: 3, text: '“Beam depth: verify on site.” is to be verified.' },
            ],
          },
        ],
      },
    });
    const { url, annotationCount, mimeType } = await calls.invoke('instance.agents.export', {
      id,
      artifactId,
      format: 'drawing_review_pdf',
    });
    expect([annotationCount, mimeType]).toEqual([2, 'application/pdf']);
    const pages = await pagesOf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    expect(pages).toHaveLength(3);
    expect(pages[0]).toMatch(/Drawing review.*plan.pdf: 2 remarks/s);
    expect(pages[1]).toMatch(/plan.pdf, page 1.*1\. .Door widths TBD by owner/s);
    expect(pages[2]).toMatch(/plan.pdf, page 3.*2\. .Beam depth: verify on site/s);
    await expect(calls.invoke('instance.agents.export', { id, artifactId, format: 'csv' })).rejects.toThrow('no export of an artifact');
  });

  test.each([
    ['Do something nice.', {}, [/^The prompt asks for nothing that I know, and there are no files: nothing was done\. I can summarise/]],
    [
      'Do something nice.',
      { 'notes.txt': 'Ships sail to the north.' },
      [/^The prompt asks for nothing that I know: I have read the files and say what they hold\. I can/, /^Ships sail to the north\.$/m],
    ],
    ['Summarise.', {}, [/^There is no text to summarise: put it behind a colon, or give files\.$/]],
    ['Summarise in one sentence: Ships sail. Ships sink.', {}, [/^Ships (?:sail|sink)\.$/]],
    [
      'Summarise the note in two sentences. Ships sail. Ships sink. Cooks bake.',
      {},
      [/^(?:(?:Ships sail|Ships sink|Cooks bake)\.\n?){2}$/],
    ],
    ['Count the words of: one two three.', {}, [/^There is no table to count or sum: give it as a file\.$/]],
    ['Sum of the column weight.', { 'orders.csv': orders }, [/^No table has the columns that are to be counted or summed\.$/m]],
    ['What do the codes say about doors?', {}, [/^Codes were not searched: the launch has no capability codeSearch\.$/]],
  ] as const)('what was asked is never said back as a result: %s', async (prompt, files, words) => {
    const id = await launch(calls, prompt, files);
    expect((await ended(calls, id)).status).toBe('finished');
    const word = await lastWord(calls, id);
    for (const said of words) expect(word).toMatch(said);
    expect(word).not.toContain(prompt);
  });

  test('a follow-up to go on does what the prompt before it asked', async () => {
    const id = await launch(calls, 'Extract the emails of this note: Write to ada@example.com.');
    await ended(calls, id);
    for (const prompt of ['Go on with what you were asked.', 'Go on.']) {
      await calls.invoke('instance.agents.followup', { id, prompt: { text: `${prompt}\n\n[ref 0123456789abcdef]` } });
      await ended(calls, id);
      expect(await lastWord(calls, id)).toBe('1 emails: ada@example.com.');
    }
  });

  test('a follow-up that gives no text is about the one that an earlier prompt gave', async () => {
    const id = await launch(calls, 'Extract the emails of this note: The roof was mended on Monday.');
    await ended(calls, id);
    expect(await lastWord(calls, id)).toBe('No emails found.');
    await calls.invoke('instance.agents.followup', { id, prompt: { text: 'Summarise the note in a sentence.' } });
    await ended(calls, id);
    expect(await lastWord(calls, id)).toBe('The roof was mended on Monday.');

    const bare = await launch(calls, 'Do something nice.');
    await ended(calls, bare);
    await calls.invoke('instance.agents.followup', { id: bare, prompt: { text: 'Summarise.' } });
    await ended(calls, bare);
    expect(await lastWord(calls, bare)).toMatch(/^There is no text to summarise/);
  });

  test('a turn takes its time on the clock that can be moved', async () => {
    await control.agents({ pace: { from: 3_000, to: 6_000 } });
    const id = await launch(calls, 'Summarise: ships sail. Ships sink.');
    await seen(calls, id, 'running');
    await control.clock(100);
    expect((await calls.invoke('instance.agents.get', { id })).status).toBe('running');
    await control.clock(10_000);
    expect((await ended(calls, id)).status).toBe('finished');
  });

  test('a sub-agent for each file: its parent waits for it, and its cost is in that of its parent', async () => {
    const id = await launch(calls, 'Count the rows. Use sub-agents for each file.', { 'one.csv': orders, 'two.csv': 'a\n1\n' });
    await ended(calls, id);
    const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
    const subs = messages.flatMap(({ subAgentIds }) => subAgentIds ?? []);
    expect(subs).toHaveLength(2);
    expect(messages.filter(({ type }) => type === 'tool').map(({ toolName, status }) => [toolName, status])).toEqual([
      ['delegate', 'completed'],
      ['delegate', 'completed'],
    ]);
    expect(await calls.invoke('instance.agents.get', { id: subs[0]! })).toMatchObject({ parentSessionId: id, status: 'finished' });
    expect((await calls.invoke('instance.agents.list', { limit: 100 })).data.map((agent) => agent.id)).not.toContain(subs[0]);
    const tokensOf = async (of: string) => (await calls.invoke('instance.agents.usage', { id: of })).spend[0]!;
    const [whole, one, two] = [await tokensOf(id), await tokensOf(subs[0]!), await tokensOf(subs[1]!)];
    expect(whole.inputTokens!).toBeGreaterThan(one.inputTokens! + two.inputTokens!);
    expect(await lastWord(calls, id)).toMatch(/one\.csv: 3 rows[^]*two\.csv: 1 row/);
  });

  test('a question is waited for until it is answered, or ten minutes are over', async () => {
    const answered = await launch(calls, 'Ask me which ship is meant.');
    const unanswered = await launch(calls, 'Ask me which ship is meant.');
    await seen(calls, answered, 'awaiting_tool');
    await control.answer(answered, 'the Fram');
    await ended(calls, answered);
    expect(await lastWord(calls, answered)).toContain('The answer was: the Fram');
    await seen(calls, unanswered, 'awaiting_tool');
    await control.clock(601);
    await ended(calls, unanswered);
    expect(await lastWord(calls, unanswered)).toContain('The question was not answered.');
  });

  test('an answer that comes before its question is waited for counts', async () => {
    const { id: hold } = await control.fault('agent.tools', 1, { hold: 'before' });
    const id = await launch(calls, 'Ask me which ship is meant.');
    expect(await control.held(hold)).toBe(true);
    await control.answer(id, 'the Fram');
    await control.release(hold);
    expect((await seen(calls, id, 'awaiting_tool', 'finished')).status).toBe('finished');
    expect(await lastWord(calls, id)).toContain('The answer was: the Fram');
  });

  test('a provider that fails is asked again later, and says so meanwhile; one that never will ends the agent', async () => {
    await control.agents({ failures: { left: 1 } });
    const id = await launch(calls, 'Summarise: ships sail.');
    for (let retry: unknown; !retry; retry = (await calls.invoke('instance.agents.get', { id })).retry);
    const { retry, status } = await calls.invoke('instance.agents.get', { id });
    expect([status, retry]).toMatchObject(['running', { kind: 'provider_error', attemptCount: 1, operatorActionRequired: false }]);
    await control.clock(31);
    expect(await ended(calls, id)).toMatchObject({ status: 'finished', retry: null });

    await control.agents({ failures: { left: 1, category: 'authentication', again: false } });
    const refused = await launch(calls, 'Summarise: ships sail.');
    expect(await ended(calls, refused)).toMatchObject({ status: 'failed', retry: { operatorActionRequired: true, nextRetryAt: null } });
    expect((await calls.invoke('instance.agents.conversation', { id: refused })).messages.at(-1)!.type).toBe('error');
  });

  test('a provider that fails again and again is asked after 30, 60 and 120 seconds', async () => {
    await control.agents({ failures: { left: 3, category: 'overloaded', again: true } });
    const id = await launch(calls, 'Summarise: ships sail.');
    let offset = 0;
    for (const [at, seconds] of [30, 60, 120].entries()) {
      let agent = await calls.invoke('instance.agents.get', { id });
      while (agent.retry?.attemptCount !== at + 1) agent = await calls.invoke('instance.agents.get', { id });
      // The failure is noted in the moment from which the wait counts.
      const waited = (Date.parse(agent.retry.nextRetryAt!) - Date.parse(agent.updatedAt!)) / 1_000 - offset;
      expect(Math.abs(waited - seconds)).toBeLessThan(10);
      await control.clock((offset += seconds + 1));
    }
    expect(await ended(calls, id)).toMatchObject({ status: 'finished', retry: null });
  });

  test('failures are counted from the last answer, or from the follow-up', async () => {
    const failsOnce = (again: boolean) => control.agents({ failures: { left: 1, category: 'overloaded', again } });
    const failed = async (id: string) => {
      for (;;) {
        const { retry } = await calls.invoke('instance.agents.get', { id });
        if (retry) return retry;
      }
    };
    const { id: hold } = await control.fault('agent.tools', 1, { hold: 'before' });
    await failsOnce(true);
    const id = await launch(calls, 'Count the orders by status.', { 'orders.csv': orders });
    expect(await failed(id)).toMatchObject({ attemptCount: 1 });
    await control.clock(31);
    expect(await control.held(hold)).toBe(true);
    expect((await calls.invoke('instance.agents.get', { id })).retry).toBeNull();
    await failsOnce(true);
    await control.release(hold);
    expect(await failed(id)).toMatchObject({ attemptCount: 1 });
    await control.clock(62);
    expect((await ended(calls, id)).status).toBe('finished');

    await failsOnce(false);
    await calls.invoke('instance.agents.followup', { id, prompt: { text: 'Count them once more.' } });
    expect(await ended(calls, id)).toMatchObject({ status: 'failed', retry: { attemptCount: 1 } });
    const waiting = await calls.invoke('instance.agents.followup', { id, prompt: { text: 'Count them once more.' } });
    expect(waiting.retry).toBeNull();
    expect((await ended(calls, id)).status).toBe('finished');
  });

  test('the rounds that an agent may take are those of one turn', async () => {
    const id = await launch(calls, 'Summarise: ships sail.');
    for (let turn = 1; turn <= 55; turn++) {
      expect(await ended(calls, id)).toMatchObject({ status: 'finished' });
      await calls.invoke('instance.agents.followup', { id, prompt: { text: 'Summarise: ships sail.' } });
    }
    expect(await ended(calls, id)).toMatchObject({ status: 'finished' });
  });

  test('a slot of any name may be left empty', async () => {
    for (const name of ['constructor', 'toString']) {
      const { id: workflowId } = await calls.invoke('instance.workflows.create', { name: 'w', requestedFiles: [{ name, optional: true }] });
      const { id } = await calls.invoke('instance.agents.launch', { workflowId });
      expect((await ended(calls, id)).status).toBe('finished');
    }
  });

  test('the instructions of a workflow are read once as new, and from the cache in each round that follows', async () => {
    const spentBy = async (instructionMarkdown: string) => {
      const requestedFiles = [{ name: 'table' }];
      const { id: workflowId } = await calls.invoke('instance.workflows.create', { name: 'counts', instructionMarkdown, requestedFiles });
      const { id: table } = await readyFile(calls, 'orders.csv', orders);
      const { id } = await calls.invoke('instance.agents.launch', { workflowId, workflowInputs: { table } });
      expect((await ended(calls, id)).status).toBe('finished');
      const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
      const [spend] = (await calls.invoke('instance.agents.usage', { id })).spend;
      // It thinks before all rounds but the last.
      return {
        fresh: spend!.inputTokens!,
        cached: spend!.cacheReadTokens!,
        rounds: messages.filter(({ type }) => type === 'thinking').length + 1,
      };
    };
    const brief = await spentBy('Count the orders by status.');
    const long = await spentBy(`Count the orders by status. ${'Be exact and polite. '.repeat(500)}`);
    const words = long.fresh - brief.fresh;
    expect([words > 1_000, long.rounds >= 3, long.rounds]).toEqual([true, true, brief.rounds]);
    expect(long.cached - brief.cached).toBe(words * (long.rounds - 1));
  });

  test('what a launch says of the capabilities comes before what its workflow says', async () => {
    const workflow = { name: 'searches', instructionMarkdown: 'Summarise: ships sail.', capabilities: { webSearch: true } };
    const { id: workflowId } = await calls.invoke('instance.workflows.create', workflow);
    const searches = async (capabilities: { webSearch?: boolean }): Promise<boolean> => {
      const { id } = await calls.invoke('instance.agents.launch', { workflowId, capabilities });
      await ended(calls, id);
      const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
      return messages.some(({ toolName }) => toolName === 'search_web');
    };
    expect([await searches({}), await searches({ webSearch: false })]).toEqual([true, false]);
  });

  test('a follow-up makes the next version of a table; exports are files of the version that they name, and their URLs end after five minutes', async () => {
    const id = await launch(calls, 'Count the orders by status.', { 'orders.csv': orders });
    await ended(calls, id);
    await calls.invoke('instance.agents.followup', { id, prompt: { text: 'Count the orders by status once more.' } });
    const { artifacts } = await ended(calls, id);
    const [table] = artifacts!;
    expect(artifacts).toHaveLength(1);
    expect((await calls.invoke('instance.agents.artifact', { id, artifactId: table!.id })).version).toBe(2);
    const xlsx = await calls.invoke('instance.agents.export', { id, artifactId: table!.id, format: 'xlsx', version: 1 });
    expect([xlsx.version, xlsx.filename]).toEqual([1, 'orders.csv-count-by-status-v1.xlsx']);

    const file = join(world.dataDir, 'read.xlsx');
    await writeFile(file, new Uint8Array(await (await fetch(xlsx.url)).arrayBuffer()));
    const tables = createTables({ children: 1 });
    const { sample, columns } = await tables.preview(file, { rows: 5 }).finally(() => tables.close());
    expect([columns.map(({ name }) => name), sample]).toEqual([
      ['status', 'count'],
      [
        ['open', '2'],
        ['paid', '1'],
      ],
    ]);

    await control.clock(301);
    expect((await fetch(xlsx.url)).status).toBe(403);
    const again = await calls.invoke('instance.agents.export', { id, artifactId: table!.id, format: 'csv' });
    expect((await fetch(again.url)).status).toBe(200);
  });

  test('an agent that is stopped takes its sub-agents with it, and goes on by a follow-up', async () => {
    const id = await launch(calls, 'Ask me which ship is meant. Use sub-agents for each file.', { 'one.txt': 'ships' });
    await seen(calls, id, 'awaiting_tool');
    const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
    const [sub] = messages.flatMap(({ subAgentIds }) => subAgentIds ?? []);
    await calls.invoke('instance.agents.stop', { id });
    expect((await ended(calls, id)).status).toBe('stopped');
    expect((await ended(calls, sub!)).status).toBe('stopped');
    await calls.invoke('instance.agents.followup', { id, prompt: { text: 'Summarise the file.' } });
    expect((await ended(calls, id)).status).toBe('finished');
  });

  test('an analytics key of an administrator reads agents of the organization, and does nothing to them', async () => {
    const person = await control.addUser({ name: 'Ada', email: 'ada@example.com' });
    const theirs = await control.issueKey({ service: 'instance', name: 'theirs', scopes: ['developer'], user: person.id });
    const id = await launch(callsOf(world, theirs.key), 'Summarise: ships sail.');
    const { key } = await control.issueKey({ service: 'instance', name: 'analytics', scopes: ['admin:analytics:read'] });
    const analyst = callsOf(world, key);
    await ended(analyst, id);
    expect((await analyst.invoke('instance.agents.usage', { id })).spend).toHaveLength(1);
    expect((await analyst.invoke('instance.agents.conversation', { id })).messages).toHaveLength(2);
    await expect(analyst.invoke('instance.agents.stop', { id })).rejects.toMatchObject({ status: 403 });
    const member = await control.issueKey({ service: 'instance', name: 'no admin', scopes: ['admin:analytics:read'], user: person.id });
    await expect(callsOf(world, member.key).invoke('instance.agents.get', { id })).rejects.toMatchObject({ status: 404 });
  });
});

describe('after kill -9', () => {
  let dataDir: string;
  let last: Running | undefined;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'portolan-agents-'));
  });
  afterEach(async () => {
    await last?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const start = async () => {
    const service = (last = await startService(dataDir));
    const { url, adminKeys } = service.ready;
    const control = createControl(() => url);
    await control.agents({ pace: { from: 0, to: 0 } });
    return { service, control, calls: createCalls(() => ({ baseUrl: url, token: adminKeys.instance, permits: createPermits() })) };
  };

  test.each(['agent.answered', 'agent.tools'] as const)('an agent goes on that was at %s, and is charged once', async (moment) => {
    const first = await start();
    const twin = await launch(first.calls, 'Count the orders by status.', { 'orders.csv': orders });
    await ended(first.calls, twin);
    const { id: hold } = await first.control.fault(moment, 2, { hold: 'before' });
    const id = await launch(first.calls, 'Count the orders by status.', { 'orders.csv': orders });
    expect(await first.control.held(hold)).toBe(true);
    await first.service.kill();
    const { calls } = await start();
    expect((await ended(calls, id)).status).toBe('finished');
    const spend = async (of: string) => (await calls.invoke('instance.agents.usage', { id: of })).spend;
    expect(await spend(id)).toEqual(await spend(twin));
    expect(await lastWord(calls, id)).toBe(await lastWord(calls, twin));
  });
});
