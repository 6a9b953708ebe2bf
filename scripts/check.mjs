// Everything that can be known without running the product: all checks are run, each is reported, one failure fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, wrongNode } from './sources.mjs';

const checks = [
  ['types', 'node_modules/typescript/bin/tsc', '--noEmit'],
  ['lint', 'node_modules/oxlint/bin/oxlint', '--type-aware'],
  ['format', 'node_modules/oxfmt/bin/oxfmt', '--check'],
  ['import rules', 'scripts/imports.ts'],
  ['lock file', 'scripts/complete-lock.ts', '--check'],
  ['generated pages', 'scripts/generate.ts', '--check'],
  ['mutants', 'scripts/mutant-rows.ts'],
];

const problem = wrongNode();
if (problem) {
  console.error(problem);
  process.exit(1);
}
for (const [name, script, ...args] of checks) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, script), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  console.log(`${status === 0 ? '✓' : '✗'} ${name}  ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (status === 0) continue;
  console.log(`${stdout}${stderr}`.trimEnd());
  process.exitCode = 1;
}
