import { rmSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/sources.mjs';

/** What a copy has by a link: it is large, and no mutant is in it. */
const linked = new Set(['node_modules', 'dist', '.portolan']);

/** A copy of the checkout as it is, in which tests run and files may be broken. */
export async function createCopy(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-mutants-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  for (const name of await readdir(root)) {
    if (name === '.git') continue;
    if (linked.has(name)) await symlink(join(root, name), join(dir, name));
    else await cp(join(root, name), join(dir, name), { recursive: true });
  }
  return {
    dir,
    async [Symbol.asyncDispose]() {
      process.off('exit', remove);
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
