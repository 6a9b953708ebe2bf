import { describe, expect, test } from 'vitest';
import { createBench } from './support.ts';

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
