import { readFile } from 'node:fs/promises';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import { createBench, parquetOf, refusal } from './support.ts';

test.each(['PAR1', 'ARROW1'])('a CSV file whose first column is called %s is CSV', async (name) => {
  await using bench = await createBench();
  for (const [file, text] of [
    ['comma.csv', `${name},PAR2,PAR3\n4,3,5\n`],
    ['longer.csv', `${name}0,b\n4,3\n`],
    ['alone.csv', `${name}\n4\n`],
    ['tab.tsv', `${name}\tb\n4\t3\n`],
  ] as const) {
    const { rows, columns } = await bench.tables.inspect(await bench.file(file, text));
    expect([rows, columns[0]]).toMatchObject([1, { name: text.split(/[,\n\t]/)[0], type: 'BIGINT' }]);
  }
});

test('Parquet and Arrow are known under any name, also where they are cut off', async () => {
  await using bench = await createBench();
  const files = {
    parquet: await readFile(await parquetOf(bench.folder, 'select 7::integer as n', 'n.parquet')),
    // Its metadata follow the magic at once.
    empty: await readFile(await parquetOf(bench.folder, 'select 7::integer as n where false', 'empty.parquet')),
    arrow: Buffer.from(tableToIPC(tableFromArrays({ n: Int32Array.of(7) }), 'file')),
  };
  for (const [kind, bytes] of Object.entries(files))
    for (const ending of [kind === 'arrow' ? 'arrow' : 'parquet', 'csv', 'tsv', 'json']) {
      const whole = await bench.file(`${kind}-whole.${ending}`, bytes);
      if (kind === 'empty') expect((await refusal(bench.tables.inspect(whole))).message).toMatch(/has no rows/);
      else expect(await bench.tables.inspect(whole)).toMatchObject({ rows: 1, columns: [{ name: 'n', type: 'INTEGER' }] });
      const cut = await refusal(bench.tables.inspect(await bench.file(`${kind}-cut.${ending}`, bytes.subarray(0, -20))));
      expect(cut).toMatchObject({
        verdict: 'bad_input',
        message: expect.stringMatching(kind === 'arrow' ? /Arrow/ : /[Pp]arquet|No magic bytes/),
      });
    }
});

test.each(['PAR1,a\n1,2\n', 'ARROW1,a\n1,2\n'])('%j is no CSV where the name claims Parquet or Arrow', async (text) => {
  await using bench = await createBench();
  for (const name of ['text.parquet', 'text.arrow'])
    expect(await refusal(bench.tables.inspect(await bench.file(name, text)))).toMatchObject({ verdict: 'bad_input' });
});
