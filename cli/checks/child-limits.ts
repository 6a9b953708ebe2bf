import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTables } from '../../child/create-tables.ts';
import { BadInput } from '../../child/tables.ts';
import { bad, failed, good, type Check } from './check.ts';

/** An allowed expression that asks for far more memory than a table may take. */
const hungry = 'len(range(1000000000))';

/** Opens a real table in the child, then makes it break its memory limit: a limit that never ends anything is none. */
export const childLimits: Check = {
  name: 'child',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-doctor-'));
    const file = join(folder, 'probe.csv');
    const tables = createTables();
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
        : good('tables open in a child process, killed beyond 1 GiB or its time: tried');
    } catch (error) {
      return failed(error, 'reinstall the package (npm ci); the platform must have a DuckDB build');
    } finally {
      await tables.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
