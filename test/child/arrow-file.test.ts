import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Float32, Int32, Int64, Table, Utf8, tableFromIPC, tableToIPC, vectorFromArray, type Vector } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIds } from '../../child/ids-files.ts';
import type { ArrowFileRequest } from '../../child/tables.ts';
import type { EncodedTexts } from '../../store/parquet-page.ts';
import { createBench, refusal, type Bench } from './support.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await createBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

let made = 0;
const arrowFile = (request: Partial<ArrowFileRequest> & { source: string }) =>
  bench.tables.arrowFile({
    into: `${bench.folder}/one-${++made}`,
    projectId: 'project-1',
    idField: 'id',
    id: { column: 'id' },
    maxRows: 65_536,
    maxBytes: 16_000_000,
    empty: true,
    ...request,
  });
const ids = async ({ idsFiles }: { idsFiles: string[] }): Promise<string[]> =>
  (await Promise.all(idsFiles.map(async (file) => textsOf(await readIds(file))))).flat();

function textsOf({ count, encoded }: EncodedTexts): string[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    const from = at + 4;
    at = from + encoded.readUInt32LE(at);
    return encoded.toString('utf8', from, at);
  });
}

const columns = (more: Record<string, Vector> = {}): Record<string, Vector> => ({
  id: vectorFromArray(['a', 'b', 'c'], new Utf8()),
  n: vectorFromArray([1, null, 3], new Int32()),
  ...more,
});
const arrow = (name: string, more: Record<string, Vector> = {}, metadata?: Map<string, string>): Promise<string> => {
  const table = new Table(columns(more));
  for (const [key, value] of metadata ?? []) table.schema.metadata.set(key, value);
  return bench.file(name, tableToIPC(table, 'file'));
};

test('an Arrow file that breaks no rule is sent as it stands, with its ids known', async () => {
  const source = await arrow('plain.arrow');
  const result = await arrowFile({ source });
  expect(result).toMatchObject({ print: { file: source }, rows: 3, sent: 3, rejected: 0, duplicates: [], columns: ['id', 'n'] });
  expect(result).not.toHaveProperty('converted');
  expect(await ids(result)).toEqual(['a', 'b', 'c']);
});

test('an id of 36 emoji is no longer than the service takes', async () => {
  const id = (count: number) => vectorFromArray(['a', '\u{1F44D}'.repeat(count), 'c'], new Utf8());
  expect(await arrowFile({ source: await arrow('emoji-36.arrow', { id: id(36) }) })).not.toHaveProperty('converted');
  const longer = await arrowFile({ source: await arrow('emoji-37.arrow', { id: id(37) }) });
  expect(longer.converted?.because).toBe('row 2 has an id of more than 36 characters');
});

const ignoring = new Map([['on_id_conflict_ignore', 'true']]);
test.each([
  ['a type that is cast', { big: vectorFromArray([1n, 2n, 3n], new Int64()) }, {}, 'column big is Int64'],
  ['NaN', { x: vectorFromArray([1, Number.NaN, 2], new Float32()) }, {}, 'column x holds NaN'],
  ['a missing id', { id: vectorFromArray(['a', null, 'c'], new Utf8()) }, {}, 'row 2 has no id'],
  ['chosen columns', {}, { columns: { m: 'n' } }, 'columns are chosen'],
  ['ids of rows', {}, { id: { row: true as const }, idField: 'id_' }, 'its ids are not taken from a column id_'],
  ['a dataset with rows', {}, { empty: false }, 'it does not say on_id_conflict_ignore, and the dataset has rows'],
  ['another type in the dataset', {}, { schema: [{ name: 'n', type: 'float32' as const }] }, 'the dataset has a column n of float32'],
])('%s: converted, and the reason is given', async (name, more, request, converted) => {
  const result = await arrowFile({ source: await arrow(`${name}.arrow`, more), ...request });
  expect(result.converted?.because).toBe(converted);
  const bytes = await readFile(result.print.file);
  expect(bytes.length).toBe(result.print.bytes);
  const table = tableFromIPC(bytes);
  expect(table.numRows).toBe(result.sent);
  expect(table.schema.fields.map((field) => field.name)).toEqual(result.columns);
  expect(Object.fromEntries(table.schema.metadata)).toEqual({ on_id_conflict_ignore: 'true' });
  expect(await ids(result)).toEqual([...table.getChildAt(0)!].map(String));
});

test('a file that says what is to happen to known ids is sent as it stands to a dataset with rows', async () => {
  const result = await arrowFile({ source: await arrow('ignoring.arrow', {}, ignoring), empty: false });
  expect(result).not.toHaveProperty('converted');
});

test('a column that the dataset does not have is named, and refused where the file says so', async () => {
  const source = await arrow('beyond.arrow');
  const schema = [{ name: 'id', type: 'string' as const }];
  expect(await arrowFile({ source, schema })).toMatchObject({ drift: { added: ['n'], gone: [] }, print: { file: source } });
  expect(await refusal(arrowFile({ source, schema, drift: 'fail' }))).toMatchObject({
    message: expect.stringContaining('column n of the source is not in the dataset'),
  });
});

test('conversion gives the batches of append in one file, and the same rejects', async () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => ({ id: `k${n}`, n: n === 7 ? 2 ** 40 : n }));
  const source = await bench.file('rows.json', JSON.stringify(rows));
  const result = await arrowFile({ source, maxRows: 1_000 });
  expect(result).toMatchObject({ rows: 2_500, sent: 2_499, rejected: 1, converted: { because: 'it is no Arrow file' } });
  const table = tableFromIPC(await readFile(result.print.file));
  expect(table.batches.map(({ numRows }) => numRows)).toEqual([1_000, 1_000, 499]);
  const shards = await bench.shard({ source, idField: 'id', id: { column: 'id' }, maxRows: 1_000 });
  expect([...table.getChild('id')!]).toEqual((await bench.rows(shards)).ids);
  expect(await readFile(result.rejectsFile, 'utf8')).toBe(await readFile(shards.rejectsFile, 'utf8'));
});

test('repeated ids are reported, whichever way the file would go', async () => {
  const twice = { id: vectorFromArray(['a', 'b', 'a'], new Utf8()) };
  const source = await arrow('twice.arrow', twice);
  const duplicates = [{ id: 'a', rows: [1, 3] }];
  expect(await arrowFile({ source })).toMatchObject({ duplicates });
  expect(await arrowFile({ source, columns: { n: 'n' } })).toMatchObject({ duplicates, sent: 0 });
});

test('nothing is left to send where every row is rejected', async () => {
  const source = await bench.file('bad.json', JSON.stringify([{ id: 'a', n: 2 ** 40 }]));
  expect(await arrowFile({ source })).toMatchObject({ sent: 0, rejected: 1, print: { bytes: 0 }, idsFiles: [] });
});

test('a damaged Arrow file is a verdict', async () => {
  const bytes = await readFile(await arrow('whole.arrow'));
  const source = await bench.file('cut.arrow', bytes.subarray(0, bytes.length - 40));
  expect(await refusal(arrowFile({ source }))).toMatchObject({ verdict: 'bad_input' });
});

test('a part of several blocks has one sum', async () => {
  const bytes = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => at % 251));
  const file = await bench.file('blocks.bin', bytes);
  const { size, mtimeMs, ino } = await stat(file);
  const { parts } = await bench.tables.digestParts({ file, bytes: size, mtimeMs, ino }, 2_000_000);
  expect(parts.map((part) => part.crc32)).toEqual([crc32(bytes.subarray(0, 2_000_000)), crc32(bytes.subarray(2_000_000))]);
});

test('digests are those of the file and of each part; a file that is another by now is refused', async () => {
  const bytes = Buffer.alloc(2_500, 7);
  const file = await bench.file('parts.bin', bytes);
  const { print } = await arrowFile({ source: await arrow('any.arrow') });
  const { size, mtimeMs, ino } = await stat(file);
  const own = { file, bytes: size, mtimeMs, ino };
  const hex = (kind: string, part: Uint8Array): string => createHash(kind).update(part).digest('hex');
  expect(await bench.tables.digestParts(own, 1_000)).toEqual({
    sha256: hex('sha256', bytes),
    parts: [bytes.subarray(0, 1_000), bytes.subarray(1_000, 2_000), bytes.subarray(2_000)].map((part) => ({
      crc32: crc32(part),
      md5: hex('md5', part),
    })),
  });
  expect(await refusal(bench.tables.digestParts({ ...print, mtimeMs: print.mtimeMs - 1 }, 1_000))).toMatchObject({ verdict: 'bad_input' });
});
