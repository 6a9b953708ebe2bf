// Runs vitest with the arguments given and ends with one line `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, wrongNode } from './sources.mjs';

const problem = wrongNode();
if (problem) {
  console.error(problem);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'portolan-test-'));
const report = join(folder, 'report.json');
const vitest = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal));

vitest.on('exit', (code, signal) => {
  const { passed, failed } = count(code === 0);
  rmSync(folder, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = code === 0 && failed === 0 && !signal ? 0 : 1;
});

/** A file that cannot be loaded, an error outside a test and a crash of the runner count as one failure each. */
function count(ok) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: ok ? 0 : 1 };
  }
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = result.numFailedTests + broken;
  return { passed: result.numPassedTests, failed: ok ? failed : Math.max(1, failed) };
}
