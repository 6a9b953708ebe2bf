import { describe, expect, test } from 'vitest';
import { createBench, refusal } from './support.ts';

describe('JSON', () => {
  test('ids of many digits, and texts in capitals, stay as they are', async () => {
    await using bench = await createBench();
    const uuid = '6F9619FF-8B86-D011-B42D-00CF4FC964FF';
    const ids = ['12345678901234567890123', '12345678901234567890124', '7'];
    const records = ids.map((id) => `{"id":${id},"u":"${uuid}","n":{"u":"${uuid}"},"l":["${uuid}"]}`);
    const source = await bench.file('ids.json', `[${records.join(',')}]`);
    const columns = { u: 'u', inner: 'n.u', listed: 'l[1]' };
    const shards = await bench.shard({ source, id: { column: 'id' }, columns });
    expect(shards.duplicates).toEqual([]);
    const { ids: made, rows } = await bench.rows(shards);
    expect(made).toEqual(ids);
    expect(rows[0]).toMatchObject({ u: uuid, inner: uuid, listed: uuid });
  });

  test('dates and times are read where every text is one, other texts are texts', async () => {
    await using bench = await createBench();
    const source = await bench.file('times.json', '[{"d":"2024-01-02","c":"9:05:00","s":"12"},{"d":"2024-12-31","c":"10:00:00","s":"13"}]');
    expect((await bench.tables.inspect(source)).columns).toEqual([
      { name: 'd', type: 'DATE' },
      { name: 'c', type: 'VARCHAR' },
      { name: 's', type: 'VARCHAR' },
    ]);
    expect((await bench.rows(await bench.shard({ source }))).rows).toMatchObject([{ d: Date.UTC(2024, 0, 2), c: '9:05:00', s: '12' }, {}]);
  });

  test.each([
    ['[{"k":1,"K":2}]', "the field 'K' beside 'k', which differs in upper and lower case alone, in line 1"],
    ['{"k":1}\n{"\\u004b":2}', "the field 'K' beside 'k', which differs in upper and lower case alone, in line 2"],
    ['[{"":1,"a":2}]', 'a field with an empty name in line 1'],
    ['[{"o":{"a":{"":1}}}]', 'a field with an empty name in line 1'],
    ['[{"a\\u0000":1}]', 'a NUL character in a name in line 1'],
    ['[{"o":{"a":1}},{"o":{"A":2}}]', 'fields that differ in upper and lower case alone'],
  ])('a name that the engine would look for in vain is refused: %s', async (content, says) => {
    await using bench = await createBench();
    const source = await bench.file('names.json', content);
    expect(await refusal(bench.tables.inspect(source))).toMatchObject({ verdict: 'bad_input', message: expect.stringContaining(says) });
  });

  test('a name that differs in case alone is refused between files too, and other letters are other names', async () => {
    await using bench = await createBench();
    await bench.file('part-1.json', '[{"k":1}]');
    await bench.file('part-2.json', '[{"K":2}]');
    const source = `${bench.folder}/part-*.json`;
    expect((await refusal(bench.tables.inspect(source))).message).toContain("part-2.json: has the field 'K' beside 'k'");
    const letters = await bench.file('letters.json', '[{"é":1,"É":2}]');
    expect((await bench.tables.preview(letters)).sample).toEqual([['1', '2']]);
  });

  test('a byte order mark, and records that share no names, are read', async () => {
    await using bench = await createBench();
    const marked = await bench.file('marked.json', '\uFEFF[{"a":1}]');
    expect(await bench.tables.inspect(marked)).toMatchObject({ rows: 1, columns: [{ name: 'a' }] });
    const lines = Array.from({ length: 300 }, (_, at) => JSON.stringify({ [`k${at}`]: at }));
    const sparse = await bench.file('sparse.ndjson', lines.join('\n'));
    const { rows, columns } = await bench.tables.inspect(sparse);
    expect([rows, columns.length]).toEqual([300, 300]);
  });
});

test.each<[string, string, RegExp]>([
  ['a byte that is no letter', '[{"a":"x\xff"}]', /^t\.json: is not UTF-8 text in line 1; save it as UTF-8$/],
  ['a letter that is cut off', '{"a":"x"}\n{"a":"x\xc3"}\n', /^t\.json: is not UTF-8 text in line 2;/],
  ['a first half alone', '{"a":"\\ud83d\\ude00"}\n{"a":"x\\ud83dy"}\n', /^t\.json: is not JSON: \\ud83d in line 2 is half of a letter/],
  ['a first half at the end', '[{"a":"x\\uD800"}]', /\\uD800 in line 1 is half of a letter/],
  ['a first half before an escape', '[{"a":"\\ud800\\n"}]', /\\ud800 in line 1 is half of a letter/],
  ['two first halves', '[{"a":"\\ud800\\ud801\\udc00"}]', /\\ud800 in line 1 is half of a letter/],
  [
    'a second half alone',
    '[{"a":"\\\\\\udc00"}]',
    /\\udc00 in line 1 is half of a letter, and the other half is missing; write the letter itself/,
  ],
])('%s is refused with its line, alone and among other files', async (_, text, message) => {
  await using bench = await createBench();
  const path = await bench.file('t.json', Buffer.from(text, 'latin1'));
  const refused = { verdict: 'bad_input', message: expect.stringMatching(message) };
  expect(await refusal(bench.tables.inspect(path))).toEqual(refused);
  expect(await refusal(bench.tables.checkColumns(path, undefined))).toEqual(refused);
  await bench.file('s.json', '[{"a":"fine"}]');
  const { message: among } = await refusal(bench.tables.inspect(path.replace('t.json', '*.json')));
  expect(among.replace('*.json: ', '')).toMatch(message);
});
