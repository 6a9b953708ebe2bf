import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretSink } from '../client/secret-sink.ts';
import { BadInput, Unavailable } from '../errors/classes.ts';
import { secretName } from '../text/secret-name.ts';
import { identify, isAlive, type Identity } from './identity.ts';

let serial = 0;

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

/** Writes a file under a name that nothing has; false where something has it. */
async function writeNew(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${process.pid}-${++serial}.new`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await unlink(draft);
  }
}

/** Takes a name until it is given back, for as long as this process lives: the file says whose it is. */
async function hold(path: string, name: string): Promise<void> {
  while (!(await writeNew(path, JSON.stringify(identify(process.pid) ?? { pid: process.pid, startTime: '' })))) {
    const found = await holdAt(path);
    if (found === 'alive') throw new Unavailable('process', `a secret named '${name}' is being made by another call (${path})`);
    if (found === 'none') continue;
    // What a dead process holds is taken away by one alone: a second that found it too would take away the hold of the first.
    const turn = `${path}.next`;
    await hold(turn, name);
    try {
      // Where there is none any more, the one that is made in the next moment is somebody's.
      if ((await holdAt(path)) === 'dead') await unlink(path).catch(ignoreMissing);
    } finally {
      await unlink(turn);
    }
  }
}

/** Whether a hold is there, and its process lives. One that a fault of the disk has cut off names no process. */
async function holdAt(path: string): Promise<'none' | 'alive' | 'dead'> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return 'none';
  return isAlive(holderIn(text)) ? 'alive' : 'dead';
}

function holderIn(text: string): Identity | undefined {
  try {
    const { pid, startTime } = JSON.parse(text) as Identity;
    return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Secrets as files, one each, in a folder that only this user may open: `connections` reads one by `{ file: … }`. A name is
 * given once: what is there is never written over, and of several calls that would use a name at once one has it.
 */
export const secretFiles = (dir: string): SecretSink => ({
  async reserve(name) {
    if (!secretName.pattern.test(name)) throw new BadInput('bad_input', `'${name}' cannot name a secret: ${secretName.rule}`);
    const path = join(dir, name);
    const held = join(dir, `.${name}.held`);
    const taken = (): BadInput =>
      new BadInput('bad_input', `there is a secret named '${name}' already (${path}): name another, or take it away`);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await hold(held, name);
    if (existsSync(path)) {
      await unlink(held);
      throw taken();
    }
    return {
      reference: `secret:${name}`,
      async keep(value) {
        if (!(await writeNew(path, `${value}\n`))) throw taken();
        await unlink(held);
      },
      giveBack: () => unlink(held).catch(ignoreMissing),
    };
  },
});
