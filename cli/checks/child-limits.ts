import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTables } from '../../child/host/create-tables.ts';
import { childLimits as limits } from '../../child/child-limits.ts';
import { BadInput } from '../../errors/classes.ts';
import { bad, failed, type Check } from './check.ts';

/** An allowed expression that asks for far more memory than a table may take. */
const hungry = 'len(range(1000000000))';

const summary = [
  `tables open in up to ${limits.children} child process${limits.children === 1 ? '' : 'es'}, killed beyond ${limits.memoryMb} MiB (tried) or their time`,
  `memory in all ${limits.children * limits.memoryMb} MiB; of one, DuckDB ${Math.floor(limits.memoryMb * limits.engineShare)} MiB and spills beyond, JavaScript ${limits.heapMb} MiB`,
  `time ${limits.seconds} s, ${limits.secondsPer50MiB} s more for each 50 MiB of the file and ${limits.msPerRow * 1_000} s for each million rows made`,
  `temporary files ${limits.tempGiB} GiB for one request, and as much for what its packed files hold`,
  `decoded at most ${limits.decodedGiB} GiB of a Parquet or Arrow file, ${limits.arrowBufferMiB} MiB of an Arrow buffer; metadata ${limits.schemaMiB} MiB, JSON ${limits.jsonDepth} levels deep`,
  `a child is replaced after ${limits.requestsPerChild} files or a kill, and ended after ${limits.idleSeconds} s without work`,
];

/** Opens a real table in the child, then makes it break its memory limit: a limit that never ends anything is none. */
export const childLimits: Check = {
  name: 'child',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-doctor-'));
    const file = join(folder, 'probe.csv');
    const tables = createTables({ children: 1 });
    try {
      await writeFile(file, 'a,b\n1,2\n');
      const { rows } = await tables.inspect(file);
      if (rows !== 1) return bad(`a table of one row was read as ${rows}`, 'reinstall the package: npm ci');
      const request = {
        source: file,
        id: { row: true },
        columns: { a: hungry },
        into: join(folder, 'rows'),
        projectId: '',
        idField: 'id',
        maxRows: 1,
        maxBytes: 1_000_000,
      } as const;
      const verdict = await tables.shard(request).then(
        () => undefined,
        (error: unknown) => (error instanceof BadInput ? error.verdict : undefined),
      );
      return verdict === undefined
        ? bad('the memory limit of the child does not hold here', 'give this process access to /proc (Linux) or to ps')
        : summary.map((detail) => ({ ok: true, detail }));
    } catch (error) {
      return failed(error, 'reinstall the package (npm ci); the platform must have a DuckDB build');
    } finally {
      await tables.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
