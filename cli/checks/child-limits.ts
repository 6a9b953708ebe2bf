import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTables } from '../../child/create-tables.ts';
import { BadInput } from '../../child/tables.ts';
import { bad, failed, good, type Check } from './check.ts';

/** Opens a real table in the child, then once more with a limit that it must break: a limit that never ends anything is none. */
export const childLimits: Check = {
  name: 'child',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-doctor-'));
    const file = join(folder, 'probe.csv');
    const usual = createTables();
    const narrow = createTables({ memoryMb: 1 });
    try {
      await writeFile(file, 'a,b\n1,2\n');
      const { rows } = await usual.inspect(file);
      if (rows !== 1) return bad(`a table of one row was read as ${rows}`, 'reinstall the package: npm ci');
      const verdict = await narrow.inspect(file).then(() => undefined, (error: unknown) => (error instanceof BadInput ? error.verdict : undefined));
      return verdict === undefined
        ? bad('the memory limit of the child does not hold here', 'give this process access to /proc (Linux) or to ps')
        : good('tables open in a child process; its memory limit holds');
    } catch (error) {
      return failed(error, 'reinstall the package (npm ci); the platform must have a DuckDB build');
    } finally {
      await Promise.all([usual.close(), narrow.close()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};
