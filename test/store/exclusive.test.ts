import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { exclusively } from '../../store/exclusive.ts';

const { signal } = new AbortController();

/** A process that has the name until it is killed; resolves once it has it. */
async function holder(run: string, name: string) {
  const module = new URL('../../store/exclusive.ts', import.meta.url).href;
  const code = `import { exclusively } from ${JSON.stringify(module)};
    await exclusively({ path: () => ${JSON.stringify(run)} }, ${JSON.stringify(name)}, new AbortController(), () => {
      process.stdout.write('has it');
      return new Promise((resolve) => setTimeout(resolve, 1e9));
    });`;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('nothing is done at the same time under one name, in any process, and a kill gives the name back', async () => {
  const root = await mkdtemp(join(tmpdir(), 'portolan-exclusive-'));
  try {
    const run = join(root, 'run');
    const store = { path: () => run };
    let inside = 0;
    let most = 0;
    const done: number[] = [];
    const act = (name: string, at: number): Promise<void> =>
      exclusively(store, name, { signal }, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        done.push(at);
      });
    await Promise.all(Array.from({ length: 20 }, (_, at) => act('one', at)));
    expect([most, done.length]).toEqual([1, 20]);

    const child = await holder(run, 'held');
    const waiting = act('held', 21);
    await act('other', 22);
    expect(done).not.toContain(21);
    child.kill('SIGKILL');
    await waiting;
    expect(done.at(-1)).toBe(21);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
