import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, reportPage, type ReportData } from '../../runs/report-page.ts';
import { at, snapshotOf } from './support.ts';

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
          decision: { step: text, approve: true, who: text, note: text, at: at(1) },
        },
        { id: 'later', use: 'points.tag', kind: 'sweep', status: 'waiting', needs: [text] },
      ],
      outputs: { [text]: text, map: `https://example.com/?q=${text}` },
      error: { step: text, type: text, message: text, details: { requestId: text, remedy: text } },
    },
    [],
    at(1_000),
  ),
  counts: [{ step: text, status: text, count: 3 }],
  events: [
    { at: at(10), step: text, kind: 'wait', cause: text, ms: 500, limit: 'maps/tag' },
    { at: at(20), step: text, kind: 'retry', cause: text, request_id: text },
  ],
  links: {},
  writtenAt: at(2_000),
});

test('nothing from outside becomes markup', () => {
  const tags = (page: string): string[] => page.match(/<[^>]*>/g)!.map((tag) => tag.replace(/"[^"]*"/g, '""'));
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
  expect(page).not.toMatch(/(src|@import|url\()/);
  expect(page).toContain('prefers-color-scheme:dark');
});

test('tells steps, fates, waits by cause, retries, outputs and decisions', () => {
  const page = reportPage(data('word'));
  for (const part of [
    '<td>maps/tag</td><td>word</td><td class="n">1</td><td class="n">0.5 s</td>',
    '<td>retry</td><td>word</td>',
    '>word</span></td><td class="n">3</td><td class="n">100.0 %</td>',
    'left:0.00%;width:90.00%',
    'approved',
    '<a href="https://example.com/?q=word">',
  ])
    expect(page).toContain(part);
});

test('escapes for content and quoted attributes', () => {
  expect(escapeHtml(`<a href="x" o='y'>&`)).toBe('&lt;a href=&quot;x&quot; o=&#39;y&#39;&gt;&amp;');
});
