import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// What projects of a user share is of this run of the tests alone: every process that they start has it from here.
const state = mkdtempSync(join(tmpdir(), 'portolan-state-'));
process.env['XDG_STATE_HOME'] = state;
// Hundreds of processes load the same code: what the first one has compiled the others read.
process.env['NODE_COMPILE_CACHE'] ??= join(state, 'compiled');
process.on('exit', () => rmSync(state, { recursive: true, force: true }));

/** What waits for a registry begins first, beside all others: at the end it would be waited for alone, for minutes. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waits = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('/test/system/tutorial.test.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    pool: 'forks',
    // They wait more than they work: for a window to open, a worker to start, a call to be held.
    maxWorkers: Math.min(6, 2 * availableParallelism() + 1),
    // Time proves nothing here: these bounds only end what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    projects: [
      { extends: true, test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: ['test/system/**', 'test/install/**'] } },
      { extends: true, test: { name: 'system', include: ['test/system/**/*.test.ts'], globalSetup: ['test/support/global-setup.ts'] } },
    ],
  },
});
