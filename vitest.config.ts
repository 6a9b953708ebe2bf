import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
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
