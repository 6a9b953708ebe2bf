import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createBench } from './support.ts';

/** Public hostile files, beside the checkout or where PORTOLAN_CORPUS says; without them there is nothing to try. */
const corpus = process.env['PORTOLAN_CORPUS'] ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));

const verdicts = new Set(['bad_input', 'refused_expression', 'too_large', 'timeout', 'crashed']);
/** Every n-th file of a family; 1 tries all. */
const every = Number(process.env['PORTOLAN_CORPUS_EVERY'] ?? 4);

test.skipIf(!existsSync(corpus)).each(['parquet', 'arrow', 'json', 'csv'])(
  'every %s file ends in rows or in a verdict',
  { timeout: 300_000 },
  async (family) => {
    await using bench = await createBench({ seconds: 10, memoryMb: 1_024 });
    const names = (await readdir(join(corpus, family))).toSorted().filter((_, at) => at % every === 0);
    const ends: Record<string, number> = {};
    for (const name of names) {
      const source = join(corpus, family, name);
      const end = await bench.tables
        .inspect(source)
        .then(async ({ rows }) => {
          const result = await bench.shard({ source, into: join(bench.folder, 'out') });
          expect(result.rows, name).toBe(rows);
          expect(result.sent + result.rejected, name).toBe(rows);
          return 'rows';
        })
        .catch((error: Error & { verdict?: string }) => {
          if (error.name !== 'BadInput' || !verdicts.has(error.verdict ?? '')) throw error;
          return error.verdict!;
        });
      ends[end] = (ends[end] ?? 0) + 1;
    }
    console.log(`${family}: ${names.length} files tried (every ${every}), ${JSON.stringify(ends)}`);
    expect(ends['rows']).toBeGreaterThan(0);
  },
);
