// Runs vitest with the arguments given and ends with one line `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
  const { passed, failed, skipped, failures } = count(code === 0);
  rmSync(folder, { recursive: true, force: true });
  for (const [file, number] of skipped) console.log(`not run here: ${number} of ${file}`);
  for (const each of failures) console.log(`failed: ${each}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = code === 0 && failed === 0 && !signal ? 0 : 1;
});

/** A file that cannot be loaded, an error outside a test and a crash of the runner count as one failure each. */
function count(ok) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: ok ? 0 : 1, skipped: [], failures: ok ? [] : ['the runner itself'] };
  }
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = result.numFailedTests + broken.length;
  // What a filter of the command line leaves out is no loss; what a machine cannot run is said.
  const narrowed = process.argv.slice(2).some((each) => each === '-t' || each.startsWith('--testNamePattern'));
  const skipped = result.testResults
    .map((file) => [
      relative(root, file.name),
      file.assertionResults.filter(({ status }) => status === 'skipped' || status === 'pending').length,
    ])
    .filter(([, number]) => number > 0 && !narrowed);
  // Named once more at the end: the rest of the output is long, and is cut in many places that show it.
  const failures = [
    ...broken.map((file) => `${relative(root, file.name)}: ${firstLine(file.message)}`),
    ...result.testResults.flatMap((file) =>
      file.assertionResults
        .filter(({ status }) => status === 'failed')
        .map((test) => `${relative(root, file.name)} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`),
    ),
  ];
  return { skipped, failures, passed: result.numPassedTests, failed: ok ? failed : Math.max(1, failed) };
}

function firstLine(message = '') {
  return message.trim().split('\n', 1)[0].slice(0, 300);
}
