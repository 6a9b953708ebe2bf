import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { castAll, corpusFiles, corpusFolder, linked } from '../prove/support-corpus.ts';
import { createBench } from './support.ts';

const verdicts = new Set(['bad_input', 'refused_expression', 'too_large', 'timeout']);
/** Every n-th file of a family; 1 tries all. The proof `corpus` tries all, and damaged copies. */
const every = Number(process.env['PORTOLAN_CORPUS_EVERY'] ?? 8);

test.skipIf(!existsSync(corpusFolder)).each(['parquet', 'arrow', 'json', 'csv', 'pdf'])(
  'every %s file ends in rows or in a verdict',
  async (family) => {
    await using bench = await createBench({ seconds: 30 });
    const files = (await corpusFiles()).filter((file) => file.family === family).filter((_, at) => at % every === 0);
    const ends: Record<string, number> = {};
    for (const file of files) {
      const source = await linked(file, bench.folder);
      const end = await bench.tables
        .inspect(source)
        .then(async ({ rows, columns }) => {
          const result = await bench.shard({ source, columns: castAll(columns) });
          expect(result.rows, file.path).toBe(rows);
          expect(result.sent + result.rejected, file.path).toBe(rows);
          return 'rows';
        })
        .catch((error: Error & { verdict?: string }) => {
          if (error.name !== 'BadInput' || !verdicts.has(error.verdict ?? '')) throw error;
          return error.verdict!;
        });
      ends[end] = (ends[end] ?? 0) + 1;
    }
    console.log(`${family}: ${files.length} files tried (every ${every}), ${JSON.stringify(ends)}`);
    expect((ends['rows'] ?? 0) > 0).toBe(family !== 'pdf');
  },
);
