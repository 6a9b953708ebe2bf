import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, parsed, resultOf, sendFile, taskEnd } from './parsing.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world[Symbol.asyncDispose]());

/** Type, content and lines of each block. */
const shape = (document: Awaited<ReturnType<typeof documentOf>>) =>
  document.chunks.flatMap(({ blocks }) => blocks.map(({ type, content, lines }) => [type, content, lines]));

test('plain text is read by paragraphs, each with its lines', async () => {
  const document = await documentOf(world, { bytes: '\uFEFFFirst line,\r\nsecond line.\r\n\r\n\r\nAnother paragraph.\r\n' });
  expect(shape(document)).toEqual([
    ['Text', 'First line,\nsecond line.', [1, 2]],
    ['Text', 'Another paragraph.', [5, 5]],
  ]);
  expect(document.file).toMatchObject({ type: 'text/plain', bytes: 54 });
  expect(document.chunks).toMatchObject([{ index: 0, page: null, lines: [1, 5], section: [] }]);
});

test('a form feed parts words and paragraphs of a plain text, and is no line of it', async () => {
  const document = await documentOf(world, { bytes: 'First page.\n\n\fSecond page,\fand more.\nIts end.\n' });
  expect(shape(document)).toEqual([
    ['Text', 'First page.', [1, 1]],
    ['Text', 'Second page,\nand more.\nIts end.', [3, 4]],
  ]);
});

test('Markdown is read by its headings, paragraphs, items, tables and code, and a chunk knows the headings above it', async () => {
  const long = 'word '.repeat(300).trim();
  const text = `# Harbour guide

Ships *enter* by the [north channel](http://example.com).

## Fees

- per ton
- per night
  with a lamp

| Size | Fee |
| ---- | --: |
| 10 m | 4 |

![a plan of the quay](plan.png)

\`\`\`
x = 1
\`\`\`

${long}

## Storms

Stay in.

${long}

${long}

${long}
`;
  const document = await documentOf(world, { bytes: text, type: 'text/markdown' });
  expect(shape(document)).toEqual([
    ['Title', 'Harbour guide', [1, 1]],
    ['Text', 'Ships enter by the north channel.', [3, 3]],
    ['Section Header', 'Fees', [5, 5]],
    ['List Item', 'per ton', [7, 7]],
    ['List Item', 'per night with a lamp', [8, 9]],
    ['Table', '| Size | Fee |\n| --- | --- |\n| 10 m | 4 |', [11, 13]],
    ['Figure', 'a plan of the quay', [15, 15]],
    ['Code', 'x = 1', [17, 19]],
    ['Text', long, [21, 21]],
    ['Section Header', 'Storms', [23, 23]],
    ['Text', 'Stay in.', [25, 25]],
    ['Text', long, [27, 27]],
    ['Text', long, [29, 29]],
    ['Text', long, [31, 31]],
  ]);
  const storms = document.chunks.findIndex(({ content }) => content.startsWith('Storms'));
  expect(document.chunks.slice(storms + 1).map(({ section }) => section)).toContainEqual(['Harbour guide', 'Storms']);
  expect(document.chunks[storms]).toMatchObject({
    section: ['Harbour guide'],
    content: expect.stringMatching(/^Storms\n\nStay in\./),
    embed: expect.stringMatching(/^Harbour guide\nStorms Stay in\./),
  });
});

test('HTML is read as it is seen: scripts, styles and hidden parts are nothing, tables of data are tables', async () => {
  const html = `<!doctype html><html><head><title>Prices</title><style>p { color: red }</style></head><body>
<script>alert('no')</script><h1>Prices</h1>
<p>Bread is <b>dear</b>.<br>Wheels&nbsp;are not.</p>
<div hidden>secret</div>
<ul><li>one<li>two</ul>
<table><caption>Fees</caption><tr><th>Size<th>Fee<tr><td>10&nbsp;m<td>4</table>
<img src="x.png" alt="a loaf"><pre>a
  b</pre>
<table><tr><td>layout <p>inside</p></td></tr></table></body></html>`;
  const document = await documentOf(world, { bytes: html, type: 'application/octet-stream', name: 'prices.html' });
  expect(document.file).toMatchObject({ type: 'text/html', title: 'Prices' });
  expect(shape(document).map(([type, content]) => [type, content])).toEqual([
    ['Title', 'Prices'],
    ['Text', 'Bread is dear. Wheels are not.'],
    ['List Item', 'one'],
    ['List Item', 'two'],
    ['Text', 'Fees'],
    ['Table', '| Size | Fee |\n| --- | --- |\n| 10 m | 4 |'],
    ['Figure', 'a loaf'],
    ['Code', 'a\n  b'],
    ['Text', 'layout'],
    ['Text', 'inside'],
  ]);
  expect(document.chunks[0]!.blocks.find(({ type }) => type === 'Table')!.cells).toEqual([
    ['Size', 'Fee'],
    ['10 m', '4'],
  ]);
});

test('what a page hides is in no chunk, and what is only kept from being read aloud is', async () => {
  const html = `<!doctype html><html><head><title>Prices</title></head><body>
<p>seen</p>
<p style="display:none">NO style</p><p style="color:red; DISPLAY : None !important">NO important</p>
<p style="display:none;display:block">shown after all</p>
<div style="visibility: hidden">NO visibility</div><div HIDDEN=""><p>NO attribute</p></div><div hidden="until-found">to be found</div>
<template><p>NO template</p></template><dialog>NO dialog</dialog><dialog open>open dialog</dialog>
<p>in <span hidden>NO inline</span>line</p><p aria-hidden="true">read by eyes</p>
<table><caption hidden>NO caption</caption><tr><th>a<th>b<tr hidden><td>NO row<td>NO row<tr><td>1<td>2 <i style="display: none">NO cell</i></table>
<img alt="NO picture" style="display:none"><datalist><option>NO option</datalist></body></html>`;
  const document = await documentOf(world, { bytes: html, type: 'text/html' });
  expect(shape(document).map(([, content]) => content)).toEqual([
    'seen',
    'shown after all',
    'to be found',
    'open dialog',
    'in line',
    'read by eyes',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ]);
  expect(JSON.stringify(document.chunks)).not.toContain('NO');
});

test('what HTML hides in Markdown is in no chunk, over several lines and within one', async () => {
  const text = `seen

<div style="display:none">

NO paragraph

<div>

- NO item

</div>

## NO heading

</div> behind it

<p hidden>NO block</p>

a <span hidden>NO *inline* ![NO picture](x.png) <span>NO</span></span>**line** with a <b>bold</b> <br hidden> word

<!-- <div hidden> --> last

<details hidden>

NO end
`;
  const document = await documentOf(world, { bytes: text, type: 'text/markdown' });
  expect(shape(document).map(([, content]) => String(content).replaceAll(/\s+/g, ' '))).toEqual([
    'seen',
    'behind it',
    'a line with a bold word',
    'last',
  ]);
  expect(JSON.stringify(document.chunks)).not.toContain('NO');
});

test.each([
  ['a script that holds a sign of tags', '<script>if (a<b){ NO }</script>'],
  ['a paragraph without an end', '<p hidden>NO'],
  ['an item without an end', '<ul>\n<li hidden>NO\n</ul>'],
  ['a cell without an end', '<table>\n<tr><td style="display: none">NO\n</table>'],
  ['an element that is closed in its own tag', '<div hidden />'],
])('what stands in Markdown behind %s is seen', async (_, html) => {
  const document = await documentOf(world, { bytes: `${html}\n\nseen\n\n- an item\n`, type: 'text/markdown' });
  expect(shape(document).map(([, content]) => content)).toEqual(['seen', 'an item']);
});

test.each<[string, string, string | undefined, unknown[]]>([
  [
    'a heading between two rules',
    '---\n# Ships\n---\ntext\n',
    'Ships',
    [
      ['Title', 'Ships', [2, 2]],
      ['Text', 'text', [4, 4]],
    ],
  ],
  [
    'fields',
    '---\ntitle: "Harbour: a guide"\ntags: [a]\n---\n\n# Ships\n\ntext\n',
    'Harbour: a guide',
    [
      ['Title', 'Ships', [6, 6]],
      ['Text', 'text', [8, 8]],
    ],
  ],
  ['fields without a title', '---\ndate: 2026-01-01\n...\n# Ships\n', 'Ships', [['Title', 'Ships', [4, 4]]]],
  ['a number as title', '---\r\ntitle: 1984\r\n---\r\ntext\r\n', '1984', [['Text', 'text', [4, 4]]]],
  ['nothing', '---\n---\ntext\n', undefined, [['Text', 'text', [3, 3]]]],
  [
    'a text between two rules',
    '---\n\nno fields\n\n---\n\ntext\n',
    undefined,
    [
      ['Text', 'no fields', [3, 3]],
      ['Text', 'text', [7, 7]],
    ],
  ],
  [
    'fields further down',
    'text\n\n---\n\ntitle: x\n\n---\n',
    undefined,
    [
      ['Text', 'text', [1, 1]],
      ['Text', 'title: x', [5, 5]],
    ],
  ],
])('before a Markdown text stand %s', async (_, text, title, blocks) => {
  const document = await documentOf(world, { bytes: text, type: 'text/markdown' });
  expect(document.file?.title).toBe(title);
  expect(shape(document)).toEqual(blocks);
});

test('bytes in another encoding are read by what the sender or the page says, and else as Windows-1252 with a note', async () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const [said, inside, guessed, utf16] = await Promise.all([
    documentOf(world, { bytes: latin('h\u00E4fen'), type: 'text/plain; charset=iso-8859-1' }),
    documentOf(world, { bytes: latin('<html><meta charset="iso-8859-1"><p>h\u00E4fen'), type: 'text/html' }),
    documentOf(world, { bytes: latin('h\u00E4fen') }),
    documentOf(world, { bytes: Buffer.from('\uFEFFh\u00E4fen', 'utf16le') }),
  ]);
  for (const { chunks } of [said, inside, guessed, utf16]) expect(chunks[0]!.content).toBe('h\u00E4fen');
  expect([said, inside, guessed, utf16].map(({ notes }) => notes!.length)).toEqual([0, 0, 1, 0]);
});

test('a text that is longer than a chunk is cut behind a sentence, and the parts are the whole', async () => {
  const text = Array.from({ length: 400 }, (_, at) => `Sentence number ${at} is short.`).join(' ');
  const { chunks } = await documentOf(world, { bytes: text });
  expect(chunks.length).toBe(Math.ceil(text.length / 4_000));
  for (const { content } of chunks) expect(content).toMatch(/^Sentence.*short\.$/s);
  expect(chunks.map(({ content }) => content).join(' ')).toBe(text);
  expect(new Set(chunks.map(({ hash }) => hash)).size).toBe(chunks.length);
});

test('summaries are of the words of the document and say so; those of tables are made where they are asked for', async () => {
  const file = { bytes: '| Size | Fee |\n| --- | --- |\n| 10 m | 4 |\n\n![a plan](x.png)\n', type: 'text/markdown' };
  const summaries = async (options?: object) =>
    (await documentOf(world, file, options)).chunks.flatMap(({ blocks }) => blocks.map(({ summary }) => summary));
  expect(await summaries()).toEqual([undefined, { text: 'a plan', method: 'extractive' }]);
  expect(await summaries({ table_summary: { enabled: true }, figure_summary: { enabled: false } })).toEqual([
    { text: 'Table of 1 rows with the columns Size, Fee. First row: Size: 10 m; Fee: 4.', method: 'extractive' },
    undefined,
  ]);
});

test('with embed_chunks each chunk has the vector of its text', async () => {
  const [chunk] = (await documentOf(world, { bytes: 'A ship in a storm.' }, { embed_chunks: true })).chunks;
  const { body } = await world.api.post('/v1/embedding/text', { texts: [chunk!.embed], task_type: 'search_document' });
  expect(chunk!.embedding).toEqual(body.embeddings[0]);
});

test.each([
  ['binary bytes', { bytes: Buffer.from([1, 2, 3, 0, 4]) }, /no text, and no other format/],
  ['an older Office file', { bytes: Buffer.from('d0cf11e0a1b11ae1', 'hex') }, /older Office program/],
  ['RTF', { bytes: '{\\rtf1 x}' }, /RTF is not read/],
])('%s fail the task with a verdict, and the service goes on', async (_, file, reason) => {
  const { end } = await parsed(world, file);
  expect(end).toMatchObject({ status: 'FAILED', verdict: 'bad_input', error: expect.stringMatching(reason) });
  expect((await documentOf(world, { bytes: 'Still here.' })).chunks).toHaveLength(1);
});

test('markup that nests a hundred thousand deep has a fate', async () => {
  const deep = await parsed(world, { bytes: `${'<div>'.repeat(100_000)}at the bottom`, type: 'text/html' });
  expect(deep.document?.chunks[0]?.content ?? deep.end.verdict).toMatch(/at the bottom|bad_input|timeout/);
  const quoted = await parsed(world, { bytes: `${'>'.repeat(50_000)} at the bottom`, type: 'text/markdown' });
  expect(quoted.document?.chunks[0]?.content ?? quoted.end.verdict).toMatch(/at the bottom|bad_input|timeout/);
});

test('a file is named by either scheme; one that was never sent fails its task, one of others and a foreign URL are refused', async () => {
  const { svc_url, nomic_url } = await sendFile(world, { bytes: 'By either name.' });
  for (const file_url of [svc_url, nomic_url]) {
    const { status, body } = await world.api.post('/v1/parse', { file_url });
    expect([status, body.job_id]).toEqual([201, body.task_id]);
    const { result_url } = await taskEnd(world, body.task_id);
    expect((await resultOf(world, result_url)).chunks[0]!.content).toBe('By either name.');
  }
  const { body: made } = await world.api.post('/v1/upload', { files: [{ id: 'x', size: 3, content_type: 'text/plain' }] });
  const { body } = await world.api.post('/v1/parse', { file_url: made.files[0].svc_url });
  expect(await taskEnd(world, body.task_id)).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/never sent/) });
  expect((await world.api.post('/v1/parse', { file_url: 'ftp://example.com/x.pdf' })).status).toBe(422);
});

test('a PUT that is longer or shorter than announced keeps nothing, and one to another URL is refused', async () => {
  const { body: made } = await world.api.post('/v1/upload', { files: [{ id: 'x', size: 3, content_type: 'text/plain' }] });
  const { upload_url, svc_url } = made.files[0];
  const put = async (url: string, body: string) => (await world.service.fetch(new Request(url, { method: 'PUT', body }))).status;
  expect(await put(upload_url, 'four')).toBe(413);
  expect(await put(upload_url, 'ab')).toBe(400);
  expect(await put(upload_url.replace(/files\/[^?]+/, 'files/other'), 'abc')).toBe(403);
  const { body } = await world.api.post('/v1/parse', { file_url: svc_url });
  expect((await taskEnd(world, body.task_id)).status).toBe('FAILED');
  expect(await put(upload_url, 'abc')).toBe(200);
});

test('URLs of files and results end by the clock of the service, and a status gives a new one', async () => {
  const { upload_url, svc_url } = await sendFile(world, { bytes: 'abc' });
  const { body } = await world.api.post('/v1/parse', { file_url: svc_url });
  const { result_url } = await taskEnd(world, body.task_id);
  const move = (offsetSeconds: number) => world.api.post('/__control/clock', { offsetSeconds });
  await move(3_601);
  try {
    expect((await world.service.fetch(new Request(upload_url, { method: 'PUT', body: 'abc' }))).status).toBe(403);
    const late = await world.service.fetch(new Request(result_url));
    expect([late.status, await late.text()]).toEqual([403, expect.stringMatching(/has expired/)]);
    expect((await world.service.fetch(new Request(`${result_url.slice(0, -4)}0000`))).status).toBe(403);
    const again = await world.api.get(`/v1/status/${body.task_id}`);
    expect((await resultOf(world, again.body.result_url)).chunks).toHaveLength(1);
  } finally {
    await move(0);
  }
});

test('files and tasks are forgotten when their time is over, those that a task waits for are not', async () => {
  await using own = await createWorld();
  const move = (offsetSeconds: number) => own.api.post('/__control/clock', { offsetSeconds });
  const { svc_url } = await sendFile(own, { bytes: 'old' });
  const done = (await own.api.post('/v1/parse', { file_url: svc_url })).body.task_id;
  await taskEnd(own, done);
  const { svc_url: needed } = await sendFile(own, { bytes: 'needed' });
  const { body: fault } = await own.api.post('/__control/faults', { operation: 'task.begun', do: { hold: 'before' } });
  const waiting = (await own.api.post('/v1/parse', { file_url: needed })).body.task_id;
  await move(604_801);
  // An upload tidies up first.
  await sendFile(own, { bytes: 'new' });
  expect((await own.api.post('/v1/parse', { file_url: svc_url })).status).toBe(403);
  expect((await own.api.get(`/v1/status/${done}`)).status).toBe(404);
  await own.api.post('/__control/release', { id: fault.id });
  expect((await taskEnd(own, waiting)).status).toBe('COMPLETED');
});
