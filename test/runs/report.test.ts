import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Plan } from '../../pipelines/plan.ts';
import { reportPage, type ReportData } from '../../runs/report/page.ts';
import { roundUp } from '../../runs/report/plot.ts';
import { escapeHtml, escapeParts } from '../../text/html.ts';
import { at, snapshotOf } from './support.ts';

const planOf = (text: string): Plan => ({
  version: 1,
  pipeline: text,
  hash: '',
  cel: '',
  params: {},
  steps: [
    { id: 'ask', use: text, kind: 'gate', needs: [], with: {}, connections: {}, timeouts: { attemptMs: 1, deadlineMs: 1 } },
    {
      id: 'each',
      use: 'forEach',
      kind: 'loop',
      needs: ['ask'],
      accepts: { ask: ['failed'] },
      when: text,
      with: { items: text },
      each: { as: text, outputs: {} },
      connections: {},
      timeouts: { attemptMs: 0, deadlineMs: 0 },
    },
  ],
  outputs: {},
  sources: [],
  concurrency: null,
});

const data = (text: string): ReportData => ({
  snapshot: snapshotOf(
    {
      pipeline: text,
      state: 'failed',
      steps: [
        {
          id: text,
          use: 'dataset.append',
          kind: 'sweep',
          status: 'failed',
          needs: [],
          startedAt: at(0),
          endedAt: at(900),
        },
        {
          id: 'ask',
          use: 'gate.approve',
          kind: 'gate',
          status: 'done',
          needs: [],
          startedAt: at(0),
          endedAt: at(100),
          asks: { who: text, show: { text }, approves: [{ step: 'gone', use: text, acts: [text] }], expiresAt: at(9_000) },
          decision: { step: 'ask', approve: true, who: text, note: text, at: at(1) },
        },
        { id: 'later', use: 'points.tag', kind: 'sweep', status: 'waiting', needs: [text] },
        { id: 'kept', use: text, kind: 'call', status: 'done', needs: [], startedAt: at(0), endedAt: at(0), reusedFrom: text },
        {
          id: 'again',
          use: text,
          kind: 'call',
          status: 'running',
          needs: [],
          retries: { now: 2, of: 4, at: at(40), error: { type: text, message: text } },
        },
      ],
      outputs: { [text]: text, map: `https://example.com/?q=${text}` },
      pauses: [{ who: text, note: text, from: at(1), to: at(2) }],
      error: { step: text, type: text, message: text, details: { requestId: text, remedy: text } },
    },
    [],
    at(1_000),
  ),
  counts: [{ step: text, status: text, count: 3 }],
  events: [
    { at: at(10), step: text, kind: 'wait', cause: text, ms: 500, limit: 'maps/tag' },
    { at: at(20), step: text, kind: 'retry', cause: text, request_id: text },
    ...[300, 500, 800].map((end, chunk) => ({
      at: at(end),
      step: text,
      kind: 'chunk' as const,
      cause: text,
      chunk,
      items: 2_000,
      bytes: 40_000,
      ms: 150,
    })),
  ],
  alerts: [
    { on: 'failed', step: text, channel: text, is: 'failed', note: text, at: at(950) },
    { on: 'approval', channel: text, is: 'trying' },
  ],
  losses: [{ at: at(600), step: text, activity: `${text}/chunk/2` }],
  agents: [
    {
      step: text,
      items: [{ item: text, status: text, turns: 2, costUsd: 0.0021, artifacts: 1, text, agent: text }],
      count: 1,
      models: [{ model: text, items: 1, inputTokens: 1_200, outputTokens: 30, costUsd: 0.0021 }],
    },
  ],
  links: {},
  order: { file: text, params: { [text]: text, count: 3 }, given: [text], plan: planOf(text) },
  writtenAt: at(2_000),
});

const shown = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

test('nothing from outside becomes markup', () => {
  // Where a line may break depends on the text.
  const tags = (page: string): string[] =>
    page.match(/<[^>]*>/g)!.flatMap((tag) => (tag === '<wbr>' ? [] : [tag.replace(/"[^"]*"/g, '""')]));
  const plain = tags(reportPage(data('word')));
  fc.assert(
    fc.property(fc.array(fc.constantFrom('<script>', '"', "'", '&', '>', '<', 'x', ' onload=', '</style>')), (parts) => {
      expect(tags(reportPage(data(`word${parts.join('')}`)))).toEqual(plain);
    }),
  );
});

test('the page needs nothing from outside', () => {
  const page = reportPage(data('word'));
  expect(page).not.toMatch(/<(script|link|img|iframe)/);
  expect(page).not.toMatch(/(src=|@import|url\()/);
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(page).toContain('prefers-color-scheme:dark');
});

test('shows steps, fates, waits by cause, retries, outputs and decisions', () => {
  const page = reportPage(data('word'));
  for (const part of [
    '<td>maps/tag</td><td>word</td><td class="n">1</td><td class="n">0.5 s</td><td class="n">0.5 s</td>',
    '<td>retry</td><td>word</td>',
    '>word</span></td><td class="n">3</td><td class="n">100.0 %</td>',
    // The three parts of the sweep, a lost worker, a wait.
    'bar failed prepare" style="left:0.00%;width:15.00%"',
    'bar failed chunks" style="left:15.00%;width:75.00%"',
    'mark lost" style="left:60.00%"',
    'bar wait" style="left:0.80%;width:50.40%"',
    'reused from word',
    `<td>again</td><td class="n">2</td><td class="n">4</td><td>${shown(at(40))}</td><td>word <code>word</code></td>`,
    '<td>kept</td><td><code>word</code></td>',
    'items per second',
    'bytes per second',
    'chunks by duration',
    '3 chunks in 0.7 s · 120 kB sent',
    `<td>ask</td><td>gone: word</td><td>{&quot;text&quot;:&quot;word&quot;}</td><td>approved</td><td>word</td><td>word</td>`,
    `<td>${shown(at(1))}</td><td>${shown(at(2))}</td><td>word</td><td>word</td>`,
    '<dt>file</dt><dd>word</dd>',
    '<td>word</td><td><code>word</code></td><td>given</td>',
    '<td>count</td><td><code>3</code></td><td>the file’s default</td>',
    'bar wait" style="left:0.00%;width:10.00%"',
    '<a href="https://example.com/?q=word">',
  ])
    expect(page).toContain(part);
});

test('agents are a table of items with their turns and what they cost by model, folded where they are more than 200', () => {
  const { agents = [], ...rest } = data('word');
  const few = reportPage({ ...rest, agents });
  expect(few).toContain(
    '<td>word</td><td>word</td><td></td><td class="n">1</td><td class="n">1,200</td><td class="n">30</td><td class="n">$0.0021</td>',
  );
  expect(few).toMatch(
    /word<\/span><\/td><td><span class="fate word">word<\/span><\/td><td class="n">2<\/td><td class="n">1<\/td><td class="n">\$0\.0021<\/td>/,
  );
  expect(few).not.toContain('<details>');
  const [one] = agents;
  const items = Array.from({ length: 201 }, (_, at) => ({ ...one!.items[0]!, item: `item-${at}` }));
  const many = reportPage({ ...rest, agents: [{ ...one!, items, count: 2_201 }] });
  expect(many).toMatch(
    /<details><summary>Agents of word: 2,201 items<\/summary>[^]*item-200[^]*The first 201 of 2,201 items[^]*<\/details>/,
  );
});

test('names and paths break behind their parts', () => {
  expect(escapeParts('maps.projects.get')).toBe('maps.<wbr>projects.<wbr>get');
  expect(escapeParts('/a<b>/c.yaml')).toBe('/<wbr>a&lt;b&gt;/<wbr>c.<wbr>yaml');
});

test('escapes for content and quoted attributes', () => {
  expect(escapeHtml(`<a href="x" o='y'>&`)).toBe('&lt;a href=&quot;x&quot; o=&#39;y&#39;&gt;&amp;');
});

test('a run without written chunks says so instead of plotting', () => {
  const { snapshot, ...rest } = data('word');
  const view = { ...snapshot.view, steps: snapshot.view.steps.map((step) => ({ ...step, status: 'done' as const })) };
  const page = reportPage({ ...rest, snapshot: { ...snapshot, view }, events: [] });
  expect(page).toContain('there is nothing to plot');
  expect(page).not.toContain('class="axes"');
});

test.each([
  [1, '1 chunk in'],
  [2, '2 chunks in'],
])('a sweep of so few chunks is said and not drawn: %i', (chunks, said) => {
  const { events, ...rest } = data('word');
  const page = reportPage({ ...rest, events: events.filter(({ kind, chunk }) => kind !== 'chunk' || chunk! < chunks) });
  expect(page).toContain(said);
  expect(page).not.toContain('items per second');
});

test('a run of a thousand chunks stays a small page', () => {
  const { events, ...rest } = data('word');
  const many = Array.from({ length: 3_000 }, (_, chunk) => ({
    at: at(1_000 + chunk * 300),
    step: 'word',
    kind: 'chunk' as const,
    cause: 'x',
    chunk,
    items: 3_000,
    bytes: 100_000,
    ms: 900,
  }));
  const waits = Array.from({ length: 2_000 }, (_, n) => ({ at: at(n * 400), step: 'word', kind: 'wait' as const, cause: 'x', ms: 100 }));
  expect(reportPage({ ...rest, events: [...events, ...many, ...waits] }).length).toBeLessThan(150_000);
});

test('a scale ends at a round number that is not below', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e12, noNaN: true }), (value) => {
      const top = roundUp(value);
      expect(top).toBeGreaterThanOrEqual(value * (1 - 1e-9));
      expect(top).toBeLessThanOrEqual(value * 2.5 * (1 + 1e-9));
    }),
  );
  expect([0, 7, 12_000, 60].map(roundUp)).toEqual([1, 10, 20_000, 100]);
});
