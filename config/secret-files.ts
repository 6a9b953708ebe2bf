import { mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretSink } from '../client/secret-sink.ts';
import { BadInput } from '../errors/classes.ts';

const legal = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Secrets as files, one each, in a folder that only this user may open: `connections` reads one by `{ file: … }`. A name is
 * given once: what is there is never written over, but for an empty file, which a killed process left.
 */
export const secretFiles = (dir: string): SecretSink => ({
  async reserve(name) {
    if (!legal.test(name)) throw new BadInput('bad_input', `'${name}' cannot name a secret: letters, digits, dots and dashes, up to 100`);
    const path = join(dir, name);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    try {
      await (await open(path, 'wx', 0o600)).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if ((await stat(path)).size > 0)
        throw new BadInput('bad_input', `there is a secret named '${name}' already (${path}): name another, or take it away`);
    }
    return {
      reference: `secret:${name}`,
      async keep(value) {
        const file = await open(`${path}.new`, 'w', 0o600);
        try {
          await file.writeFile(`${value}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(`${path}.new`, path);
      },
      giveBack: () => unlink(path).catch(() => undefined),
    };
  },
});
