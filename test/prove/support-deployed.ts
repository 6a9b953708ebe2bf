import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, glob, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import type { Block } from '../support/pages/blocks.ts';
import type { Place } from '../support/pages/places.ts';

const run = promisify(execFile);

/** The folder of the project in the unit and in the container. */
const srv = '/srv/portolan';

const block = (blocks: readonly Block[], file: string): string => {
  const found = blocks.find((each) => each.file === file);
  if (!found) throw new Error(`the page has no ${file}`);
  return found.text;
};

/** Starts a worker's command, waits until it says that it works, and ends it as it is to be ended. Returns its exit code and how long its end took. */
async function workerOf(command: string, { dir, env }: Pick<Place, 'dir' | 'env'>, whileUp: () => Promise<void>, signal: NodeJS.Signals) {
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd: dir, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [said] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), exit])) as [unknown];
  if (typeof said !== 'string') throw new Error(`${command} ended before it worked`);
  child.stdout.resume();
  await whileUp();
  const asked = performance.now();
  child.kill(signal);
  const [code] = await exit;
  return { said, code, seconds: (performance.now() - asked) / 1_000 };
}

/** Does what systemd does with the unit of a page, as far as it is about the process: environment, command, signal. */
export async function runUnit(blocks: readonly Block[], place: Place, whileUp: () => Promise<void>) {
  const unit = place.words(block(blocks, 'portolan-worker.service')).replaceAll(srv, place.dir);
  const settings = (name: string): string[] => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);
  const [command] = settings('ExecStart');
  const env = { ...place.env, ...Object.fromEntries(settings('Environment').map((each) => each.split(/=(.*)/s).slice(0, 2))) };
  const file = join(place.dir, 'checked', 'portolan-worker.service');
  await mkdir(join(place.dir, 'checked'));
  await writeFile(file, unit);
  // Where there is no systemd, nothing can be asked of it.
  const verdict = await run('systemd-analyze', ['verify', file]).then(
    ({ stderr }) => stderr.trim(),
    ({ code, stderr }: { code?: string | number; stderr?: string }) => (code === 'ENOENT' ? '' : stderr || String(code)),
  );
  const ended = await workerOf(
    command!,
    { dir: settings('WorkingDirectory')[0]!, env },
    whileUp,
    settings('KillSignal')[0] as NodeJS.Signals,
  );
  return { ...ended, verdict, within: Number(settings('TimeoutStopSec')[0]) };
}

/** Carries out the container file of a page in a folder in the place of the image: COPY, RUN, CMD. */
export async function runContainerFile(blocks: readonly Block[], place: Place, whileUp: () => Promise<void>) {
  const dir = join(place.dir, '..', 'image');
  await mkdir(dir);
  const lines = block(blocks, 'Dockerfile')
    .split('\n')
    .map((line) => line.split(/ (.*)/s) as [string, string]);
  const valueOf = (name: string): string => lines.find(([word]) => word === name)![1];
  for (const [word, rest] of lines) {
    if (word === 'COPY') {
      const names = rest.split(' ');
      const to = names.pop()!;
      for (const name of names)
        for await (const found of glob(name, { cwd: place.dir }))
          await cp(join(place.dir, found), to.endsWith('/') ? join(dir, to, basename(found)) : join(dir, to), { recursive: true });
    }
    // The image has the user `node`; the folder has the one who runs this.
    if (word === 'RUN')
      await run('sh', ['-c', rest.replaceAll('chown node', `chown ${userInfo().username}`)], { cwd: dir, env: place.env });
  }
  const command = (JSON.parse(valueOf('CMD')) as string[]).join(' ');
  return workerOf(command, { dir, env: place.env }, whileUp, valueOf('STOPSIGNAL') as NodeJS.Signals);
}
