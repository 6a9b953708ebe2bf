// npm runs this after `npm ci` in a clone, before `npm pack`, and when it installs from git: never in a user's project.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { distState, root, wrongNode } from './sources.mjs';

const problem = wrongNode();
if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else if (distState() !== 'fresh') {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.ts')], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
