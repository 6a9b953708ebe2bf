import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { literal } from '../../text/sql.ts';
import { createDocumentFiles } from '../../client/document-files.ts';
import { createPermits } from '../../client/permits.ts';
import { callsOf } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

let folders = 0;
/** A folder of text files by name. */
async function folder(files: Record<string, string>) {
  const dir = join(world.dir, `documents-${(folders += 1)}`);
  await mkdir(dir);
  const write = (name: string, text: string): Promise<void> => writeFile(join(dir, name), text);
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return { files: join(dir, '*'), write, remove: (name: string) => rm(join(dir, name)) };
}

const tolerant = { tolerate: { failed: { count: 9 }, unknown: { count: 9 } } };

const read = async (input: object, run = world.newRun()) => {
  const { value, calls } = await world.callsOf(() => run.step('documents.parse', input, tolerant));
  const count = (operation: string): number => calls.filter((each) => each === operation).length;
  return {
    ...value,
    run,
    calls: { upload: count('maps.documents.upload'), put: count('maps.documents.put'), parse: count('maps.documents.parse') },
  };
};

const rows = <T>(glob: string): Promise<T[]> => queryFiles<T>(`select * from read_parquet(${literal(glob)}) order by all`);

const fates = async ({ run }: Awaited<ReturnType<typeof read>>): Promise<Record<string, string>> =>
  Object.fromEntries((await run.store.readItems({})).map(({ item, status }) => [item, status]));

test('documents become chunks with their file, place and hash; a second run sends nothing and gives the same', async () => {
  const { files } = await folder({
    'a.md': '# Ships\n\nThe harbour at night.\n',
    'b.txt': 'Bread and salt.\n',
    'c.html': '<h1>Road</h1><p>A wheel.</p>',
  });
  const first = await read({ files });
  expect(first.output).toMatchObject({ documents: 3, parsed: 3, present: 0, failed: 0, unknown: 0 });
  expect(first.calls).toEqual({ upload: 3, put: 3, parse: 3 });
  const chunks = await rows<Record<string, string>>(first.output.chunks);
  expect(new Set(chunks.map(({ file }) => file))).toEqual(new Set(['a.md', 'b.txt', 'c.html']));
  expect(
    chunks.every(
      ({ id, place, hash, document }) =>
        id!.length === 32 && place !== '' && /^[0-9a-f]{64}$/.test(hash!) && /^[0-9a-f]{64}$/.test(document!),
    ),
  ).toBe(true);
  const second = await read({ files });
  expect([second.output, second.calls]).toMatchObject([
    { parsed: 0, present: 3 },
    { upload: 0, put: 0, parse: 0 },
  ]);
  expect(await rows(second.output.chunks)).toEqual(chunks);
  expect(await rows(second.output.results)).toMatchObject([{ item: 'a.md', status: 'present' }, { item: 'b.txt' }, { item: 'c.html' }]);
});

test('a changed document costs its own calls, another option all; two files of the same bytes are sent once', async () => {
  const { files, write } = await folder({ a: 'one text here', b: 'another text here', c: 'one text here' });
  const first = await read({ files });
  expect([first.calls.parse, await fates(first)]).toEqual([2, { a: 'parsed', b: 'parsed', c: 'present' }]);
  expect(first.output).toMatchObject({ documents: 3, parsed: 2, present: 1 });
  await write('b', 'another text there');
  const second = await read({ files });
  expect([second.calls.parse, await fates(second)]).toEqual([1, { a: 'present', b: 'parsed', c: 'present' }]);
  const id = async ({ output }: typeof first) =>
    (await rows<{ id: string; file: string }>(output.chunks)).find(({ file }) => file === 'b')!.id;
  expect(await id(second)).toBe(await id(first));
  expect((await read({ files, options: { tableSummary: true } })).calls.parse).toBe(2);
});

test('turns side by side that come to the same bytes have them read once', async () => {
  const folders = await Promise.all(['north', 'south', 'west'].map(() => folder({ terms: 'terms that all customers have' })));
  const run = world.newRun();
  const parsing = await world.control.fault('maps.documents.parse', 1, { hold: 'before' });
  const puts = async (): Promise<number> =>
    (await world.control.requests()).rows.filter(({ operation }) => operation === 'maps.documents.put').length;
  const before = await puts();
  const { value, calls } = await world.callsOf(async () => {
    const turns = folders.map(({ files }, at) =>
      run.step('documents.parse', { files }, { ...tolerant, id: `each[${at}].docs`, byItem: `each[${at}].docs` }),
    );
    await world.control.held(parsing.id);
    while ((await puts()) < before + folders.length);
    await world.control.release(parsing.id);
    return Promise.all(turns);
  });
  expect(calls.filter((operation) => operation === 'maps.documents.parse')).toHaveLength(1);
  expect(value.map(({ output }) => [output.documents, output.rows])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

test('a document that cannot be read is one item with its reason, keeps the chunks of its last version, and is not sent again by itself', async () => {
  const { files, write } = await folder({ good: 'a good text', bad: 'a text that was good' });
  await read({ files });
  await write('bad', '');
  const failed = await read({ files });
  expect(failed.output).toMatchObject({ present: 1, failed: 1, rows: 2 });
  expect(await failed.run.store.readItems({ status: 'failed' })).toMatchObject([{ item: 'bad', reason: 'the file is empty' }]);
  await writeFile(files.replace('*', 'bad'), Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x34, 0, 1, 2]));
  const broken = await read({ files });
  expect(await fates(broken)).toEqual({ good: 'present', bad: 'failed' });
  const again = await read({ files });
  expect([again.calls.parse, await fates(again)]).toEqual([0, { good: 'present', bad: 'failed' }]);
  expect((await read({ files, again: true })).calls.parse).toBe(1);
});

test('a document that cannot be read by other options keeps the chunks that it had by the former ones', async () => {
  const { files, write } = await folder({ good: 'another good text', bad: 'another text that was good' });
  await read({ files });
  await write('bad', '');
  const failed = await read({ files, options: { tableSummary: true } });
  expect(failed.output).toMatchObject({ parsed: 1, failed: 1, rows: 2 });
  const [bad] = await rows<Record<string, string>>(failed.output.chunks).then((all) => all.filter(({ file }) => file === 'bad'));
  expect(bad).toMatchObject({ content: 'another text that was good' });
});

test('a document of a turn that cannot be read keeps the chunks of its own last version, whatever the place of the turn', async () => {
  const north = await folder({ plan: 'the plan of the north' });
  const south = await folder({ plan: 'the plan of the south' });
  const parse = async (files: string, place: number, item: string) => {
    const options = { ...tolerant, id: `each[${place}].docs`, byItem: `each[${item}].docs` };
    const { output } = await world.newRun().step('documents.parse', { files }, options);
    return (await rows<{ text: string }>((output as { chunks: string }).chunks)).map(({ text }) => text);
  };
  await parse(north.files, 0, 'north');
  await parse(south.files, 1, 'south');
  await south.write('plan', '');
  expect(await parse(south.files, 0, 'south')).toEqual(['the plan of the south']);
});

test('a table names the files: chunks get what its rows say of them, and a row whose file is not there is one item with its reason', async () => {
  const { files, write, remove } = await folder({
    'a.txt': 'a text by Ada',
    'b.txt': 'a text by Ben',
    'apart.txt': 'a text that nobody names',
  });
  await write('list.csv', 'file,by,pages\na.txt,Ada,3\n./b.txt,Ben,\ngone.txt,Cy,1\n,Dan,1\n');
  const table = { files: files.replace('*', 'list.csv'), column: 'file', carry: ['by', 'pages'] };
  const first = await read(table);
  expect([first.output, first.calls.parse]).toMatchObject([{ documents: 4, parsed: 2, failed: 2, rows: 2 }, 2]);
  expect(await first.run.store.readItems({ status: 'failed' })).toMatchObject([
    { item: 'gone.txt', reason: 'there is no such file' },
    { item: 'row 4', reason: 'the row names no file' },
  ]);
  expect(await rows(`${first.output.chunks}`)).toHaveLength(2);
  expect(await queryFiles(`select file, "by", pages from read_parquet(${literal(first.output.chunks)}) order by file`)).toEqual([
    { file: 'a.txt', by: 'Ada', pages: '3' },
    { file: 'b.txt', by: 'Ben', pages: null },
  ]);
  await remove('a.txt');
  const second = await read(table);
  expect([await fates(second), second.output.rows, second.calls.parse]).toEqual([
    { 'a.txt': 'failed', 'b.txt': 'present', 'gone.txt': 'failed', 'row 4': 'failed' },
    2,
    0,
  ]);
});

test('names of files, and what chunks get of a table, are the texts that stand there', async () => {
  const { files, write } = await folder({ '1.1': 'the first edition', '1.10': 'the tenth edition' });
  await write('list.csv', 'file,edition,checked\n1.10,1.10,TRUE\n1.1,1.1,FALSE\n');
  const { output } = await read({ files: files.replace('*', 'list.csv'), column: 'file', carry: ['edition', 'checked'] });
  const select = `select file, edition, checked, content from read_parquet(${literal(output.chunks)}) order by file`;
  expect(await queryFiles(select)).toEqual([
    { file: '1.1', edition: '1.1', checked: 'FALSE', content: 'the first edition' },
    { file: '1.10', edition: '1.10', checked: 'TRUE', content: 'the tenth edition' },
  ]);
});

test('a table names files of its own folder alone, whatever it is written in: another is not opened', async () => {
  const outside = await folder({ secret: 'a text that is not for the service' });
  const { files, write } = await folder({ own: 'a text of the folder' });
  const secret = outside.files.replace('*', 'secret');
  const whole = files.replace('*', 'own');
  const lines = [secret, `../${secret.split('/').at(-2)}/secret`, whole].map((path) => JSON.stringify({ path }));
  await write('list.jsonl', lines.join('\n'));
  const { output, run, calls } = await read({ files: files.replace('*', 'list.jsonl'), column: 'path' });
  expect([output, calls.parse]).toMatchObject([{ parsed: 1, failed: 2 }, 1]);
  const refused = await run.store.readItems({ status: 'failed' });
  expect(refused.map(({ reason }) => /is not in the folder of the table/.test(reason!))).toEqual([true, true]);
});

test('a table of files is refused where it has no such column, names a file twice, or gives chunks a column that they have', async () => {
  const { files, write } = await folder({ 'a.txt': 'one text' });
  await write('list.csv', 'path,page\na.txt,1\n./a.txt,2\n');
  const list = files.replace('*', 'list.csv');
  await expect(read({ files: list, column: 'paths' })).rejects.toThrow(/column names the column 'paths', and the table has none.*path/);
  await expect(read({ files: list, column: 'path' })).rejects.toThrow("two rows name the file 'a.txt'");
  await expect(read({ files, column: 'path' })).rejects.toThrow('matches 2 files, and column is for one table');
  await expect(read({ files: list, column: 'path', carry: ['page'] })).rejects.toThrow('one that chunks have of their own');
  // The engine ignores case in the names of columns.
  for (const carry of [['Page'], ['by', 'By']])
    await expect(read({ files: list, column: 'path', carry })).rejects.toThrow('one that chunks have of their own');
  await expect(read({ files: list, carry: ['page'] })).rejects.toThrow('is for a table that names files');
});

test('more failures than the file tolerates fail the step, with the first of them', async () => {
  const { files } = await folder({ empty: '', full: 'some words' });
  await expect(world.newRun().step('documents.parse', { files })).rejects.toThrow(
    '1 of 2 items failed (50.0 %, tolerated 0); first: empty: the file is empty',
  );
});

test('the task of a document is found among those that are listed where the answer of parse was lost, and is not paid for twice', async () => {
  const { files } = await folder({ lost: 'words that were sent and found' });
  await world.control.fault('maps.documents.parse', 1, { lose: 'answer' });
  const found = await read({ files });
  expect([found.output.parsed, found.output.unknown, found.calls.parse]).toEqual([1, 0, 1]);
});

test('where no task is listed nobody knows of the document: it is not paid for twice, but found later, or sent when somebody says so', async () => {
  const { files } = await folder({ lost: 'words that were sent' });
  await world.control.fault('maps.documents.parse', 1, { lose: 'answer' });
  await world.control.fault('maps.documents.events', 1, { status: 404 }, 2);
  const lost = await read({ files });
  expect([lost.output.unknown, lost.calls.parse]).toEqual([1, 1]);
  expect((await read({ files })).output.unknown).toBe(1);
  const later = await read({ files });
  expect([later.output.parsed, later.calls]).toEqual([1, { upload: 0, put: 0, parse: 0 }]);
  const other = await folder({ lost: 'words that are sent once more' });
  await world.control.fault('maps.documents.parse', 1, { lose: 'answer' });
  await world.control.fault('maps.documents.events', 1, { status: 404 }, 2);
  await read({ files: other.files });
  const again = await read({ files: other.files, again: true });
  expect([again.output.parsed, again.calls.parse]).toEqual([1, 1]);
});

test('with again, too, a run sends a document once: another attempt does not pay for it once more', async () => {
  const { files } = await folder({ lost: 'words that nobody has seen again', slow: 'words that are asked for twice' });
  await world.control.fault('maps.documents.parse', 1, { lose: 'answer' });
  await world.control.fault('maps.documents.events', 1, { status: 404 }, 2);
  await world.control.fault('maps.documents.status', 1, { status: 500 });
  const { output, calls } = await read({ files, again: true });
  expect([output, calls.parse]).toMatchObject([{ parsed: 1, unknown: 1 }, 2]);
});

test('a document that another run has sent while it was uploaded is not paid for once more', async () => {
  const [here, there] = [await folder({ a: 'the same words for two' }), await folder({ b: 'the same words for two' })];
  const upload = await world.control.fault('maps.documents.upload', 1, { hold: 'before' });
  const { value, calls } = await world.callsOf(async () => {
    const first = world.newRun().step('documents.parse', { files: here.files });
    expect(await world.control.held(upload.id)).toBe(true);
    const second = await world.newRun().step('documents.parse', { files: there.files });
    await world.control.release(upload.id);
    return [(await first).output, second.output];
  });
  expect(value).toMatchObject([
    { parsed: 0, present: 1, rows: 1 },
    { parsed: 1, present: 0, rows: 1 },
  ]);
  expect(calls.filter((each) => each === 'maps.documents.parse')).toHaveLength(1);
});

test('a result whose URL has expired is asked for again by its task', async () => {
  const { files } = await folder({ late: 'words that are read before anybody asks' });
  const answered = await world.control.fault('maps.documents.parse', 1, { hold: 'after' });
  const asked = await world.control.fault('maps.documents.status', 1, { hold: 'after' });
  const reading = read({ files });
  try {
    expect(await world.control.held(answered.id)).toBe(true);
    const { invoke } = callsOf(world, world.service.adminKeys.maps);
    const isRead = async (): Promise<boolean> => (await invoke('maps.documents.events', {})).events[0]!.metadata!['status'] === 'COMPLETED';
    await expect.poll(isRead).toBe(true);
    await world.control.release(answered.id);
    expect(await world.control.held(asked.id)).toBe(true);
    await world.control.clock(7_200);
    await world.control.release(asked.id);
    const { output, calls } = await reading;
    expect([output.parsed, calls.parse]).toEqual([1, 1]);
  } finally {
    await world.control.clock(0);
  }
});

test('a refusal and a wait are no sending: the document is sent after them, once', async () => {
  const { files } = await folder({ waits: 'words that wait' });
  await world.control.fault('maps.documents.parse', 1, { status: 429, retryAfter: 1 });
  const { output, calls } = await read({ files });
  expect([output.parsed, output.unknown, calls.upload]).toEqual([1, 0, 2]);
});

test('a task that was begun is gone on with by another attempt, and by another run', async () => {
  const { files } = await folder({ slow: 'words that take their time' });
  await world.control.fault('maps.documents.status', 1, { status: 500 });
  const first = await read({ files });
  expect([first.output.parsed, first.calls.parse]).toEqual([1, 1]);
  const other = await folder({ slow: 'other words that take their time' });
  await world.control.fault('maps.documents.status', 1, { status: 400 });
  await expect(read({ files: other.files })).rejects.toThrow('400');
  const next = await read({ files: other.files });
  expect([next.output.parsed, next.calls.parse]).toEqual([1, 0]);
});

test('files that changed after the run looked at them are refused before anything is sent', async () => {
  const { files, write } = await folder({ a: 'first' });
  const run = world.newRun();
  const sources = await run.inspect([{ step: 'read', field: 'files', path: files, raw: true, list: true }]);
  await write('b', 'second');
  await expect(run.step('documents.parse', { files }, { sources })).rejects.toThrow('changed since the run started');
});

test('a URL whose time is over says so, and the next one is taken', async () => {
  const { invoke } = callsOf(world, world.service.adminKeys.maps);
  const files = createDocumentFiles(createPermits(), { serviceUrl: world.service.url });
  const bytes = Buffer.from('words');
  const uploaded = (await invoke('maps.documents.upload', {
    files: [{ id: 'a', size: bytes.byteLength, content_type: 'text/plain' }],
  })) as {
    files: { upload_url: string }[];
  };
  const [{ upload_url: url }] = uploaded.files as [{ upload_url: string }];
  await world.control.clock(7_200);
  await expect(files.put(url, bytes)).rejects.toThrow('has expired');
  await world.control.clock(0);
  await files.put(url, bytes);
  await expect(createDocumentFiles(createPermits(), { serviceUrl: 'https://maps.example.com' }).put(url, bytes)).rejects.toThrow(
    'on this machine or in its network',
  );
});
