import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../../scripts/sources.mjs';

export type Ended = { code: number; stdout: string; stderr: string };

/** Runs a shell line with one Node first on the path and nothing of the npm that runs this proof. */
export function shell(command: string, cwd: string, node: string): Promise<Ended> {
  const own = join(root, 'node_modules', '.bin');
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'INIT_CWD' && name !== 'NODE');
  const path = [
    node,
    ...(process.env['PATH'] ?? '').split(delimiter).filter((each) => each !== own && !each.startsWith(`${root}node_modules`)),
  ];
  return new Promise((resolve) => {
    execFile(
      'sh',
      ['-c', command],
      { cwd, env: { ...Object.fromEntries(inherited), PATH: path.join(delimiter) }, maxBuffer: 1e8, timeout: 600_000 },
      (error, stdout, stderr) => resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, stdout, stderr }),
    );
  });
}

/** Folder of the `node` command of a version, from npm's package `node`. */
export async function installNode(temporary: string, version: string): Promise<string> {
  const folder = join(temporary, `node-${version}`);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const { code, stderr } = await shell(`npm i node@${version}`, folder, dirname(process.execPath));
  if (code !== 0) throw new Error(`node@${version} cannot be installed: ${stderr}`);
  return join(folder, 'node_modules', 'node', 'bin');
}

export async function megabytes(folder: string, node: string): Promise<number> {
  return Number((await shell(`du -sm ${folder}`, folder, node)).stdout.split('\t')[0]);
}
