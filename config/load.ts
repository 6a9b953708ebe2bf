import { existsSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { loadedIn, NoEnd } from '../files/loaded-in.ts';
import { ConfigError } from './config-error.ts';
import { findingText } from './finding.ts';
import { didYouMean } from '../text/nearest.ts';
import { placesOf } from '../text/stack-places.ts';
import { configSchema } from './schema.ts';
import { homeFolder } from './user-folders.ts';
import { isGlob } from '../text/glob.ts';

const configFileName = 'portolan.config.mts';

export type Config = Omit<z.output<typeof configSchema>, 'store'> & {
  /** Folder of the configuration file, or the working folder without one: relative paths resolve against it. */
  root: string;
  /** Absolute path of the file; absent where there is none and the defaults stand. */
  file?: string;
  /** The `.portolan` folder, absolute. */
  dir: string;
  /** Run store: absolute path of a folder. */
  store: string;
};

const dirOf = (root: string): string => join(root, '.portolan');

const misnamed = ['portolan.config.ts', 'portolan.config.mjs', 'portolan.config.js', 'portolan.config.cts'];

/** Owner of a file or folder; undefined where it is not there, or where files have no owners. */
const ownerOf = (path: string): number | undefined => (process.getuid ? statSync(path, { throwIfNoEntry: false })?.uid : undefined);

/** Folders that are looked in: upward to the root of a repository, the user's home or a folder of another owner, whichever is first. */
const foldersAbove = (cwd: string): string[] => {
  const start = resolve(cwd);
  const folders = [start];
  const home = homeFolder();
  for (let folder = start; folder !== home && !existsSync(join(folder, '.git'));) {
    const above = dirname(folder);
    if (above === folder || ownerOf(above) !== ownerOf(start)) break;
    folders.push((folder = above));
  }
  return folders;
};

/** The file is code and is run: one above the working folder must belong to that folder's owner. */
const findFile = (cwd: string): string | undefined => {
  const folders = foldersAbove(cwd);
  for (const folder of folders) {
    const file = join(folder, configFileName);
    if (existsSync(file) && (folder === folders[0] || ownerOf(file) === ownerOf(folders[0]!))) return file;
    const other = misnamed.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (other !== undefined)
      throw new ConfigError(`${other}: the configuration is named ${configFileName}`, `rename it: mv ${other} ${file}`);
  }
  return undefined;
};

const moduleType =
  /Cannot use import statement outside a module|Unexpected token 'export'|Unexpected token export|module is not defined in ES module/;

const missingExport = /The requested module '.*\.[tj]s' does not provide an export named/;

const loadFailure = (file: string, error: unknown): ConfigError => {
  const { code } = error as NodeJS.ErrnoException;
  // A module may throw anything.
  const message = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  const first = message.split('\n')[0] ?? '';
  if (missingExport.test(message)) {
    const remedy =
      'export that name there; where package.json says "type": "commonjs", also name that file .mts, or it is not loaded as a module';
    return new ConfigError(`${file}: ${first}`, remedy, options);
  }
  if (moduleType.test(message)) {
    const remedy = 'name the files that it imports .mts: such a file is a module whatever the "type" in package.json says';
    return new ConfigError(`${file}: a file it imports is not loaded as a module (${first})`, remedy, options);
  }
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'portolan'")) {
    return new ConfigError(
      `${file}: the package portolan is not installed here`,
      'install it in this project: npm install portolan',
      options,
    );
  }
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return new ConfigError(`${file}: ${first}`, 'use only syntax that can be erased: no enum, namespace or parameter property', options);
  }
  const at = error instanceof Error ? (placesOf(error.stack)[0] ?? file) : file;
  if (error instanceof NoEnd)
    return new ConfigError(`${at}: ${first}`, 'leave out what takes time: the file only says what there is', options);
  return new ConfigError(`${at}: ${first}`, 'correct the file; node runs it as it is', options);
};

/** The folder of a file: URI: one with two slashes has its first folder in the place of a host. */
const folderAt = (uri: string, file: string): string => {
  try {
    return fileURLToPath(uri);
  } catch (error) {
    throw new ConfigError(
      `${file}: store: '${uri}' names no folder of this machine: ${(error as Error).message}`,
      "name the folder without a scheme, 'runs' or '/var/runs', or with three slashes: 'file:///var/runs'",
    );
  }
};

const storeFolder = (store: string, root: string, file: string): string => {
  if (store.startsWith('file:')) return folderAt(store, file);
  if (/^[a-z][a-z0-9+.-]+:/i.test(store)) {
    throw new ConfigError(`${file}: store: the scheme of '${store.split(':')[0]}:' is not known`, 'name a folder or a file: URI');
  }
  return isAbsolute(store) ? store : join(root, store);
};

const readDefault = async (file: string, longestMs: number | undefined): Promise<unknown> => {
  try {
    // A changed file is another module: `dev` loads it anew without a new process.
    const url = `${pathToFileURL(file).href}?v=${statSync(file).mtimeMs}`;
    const module: { default?: unknown } = await loadedIn(() => import(/* @vite-ignore */ url), longestMs);
    if (module.default === undefined) throw new ConfigError(`${file}: no default export`, 'write: export default defineConfig({ … })');
    return module.default;
  } catch (error) {
    throw error instanceof ConfigError ? error : loadFailure(file, error);
  }
};

/** Folders of the project of a folder. The configuration is not run: what was started stops whatever it says now. */
export const projectFolders = (cwd: string): Pick<Config, 'root' | 'dir'> => {
  const file = findFile(cwd);
  const root = file === undefined ? resolve(cwd) : dirname(file);
  return { root, dir: dirOf(root) };
};

/**
 * Loads the nearest `portolan.config.mts` of a folder or of those above it, up to the root of its repository, the home
 * folder or a folder of another owner; without one the defaults stand.
 * Fails with `ConfigError`, one line per finding: field, rule, remedy; never a value. `longestMs`: for the code of the file; default 30 s.
 */
export const loadConfig = async (cwd: string, { longestMs }: { longestMs?: number } = {}): Promise<Config> => {
  const file = findFile(cwd);
  const root = file === undefined ? resolve(cwd) : dirname(file);
  const parsed = configSchema.safeParse(file === undefined ? {} : await readDefault(file, longestMs));
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${file}: ${findingText(issue)}`).join('\n'),
      'correct the field; portolan.config.mts is checked again at the next command',
    );
  const { store, ...config } = parsed.data;
  const names = Object.keys(config.connections);
  if (config.connection !== undefined && config.connection !== 'local' && !names.includes(config.connection)) {
    throw new ConfigError(
      `${file}: connection: '${config.connection}' is not among connections${didYouMean(config.connection, [...names, 'local'])}`,
      'name one of connections, or local',
    );
  }
  const unknown = config.notify?.to.find((name) => !Object.hasOwn(config.channels, name));
  if (unknown !== undefined)
    throw new ConfigError(
      `${file}: notify.to: '${unknown}' is not among channels${didYouMean(unknown, Object.keys(config.channels))}`,
      `say where it sends: channels: { ${unknown}: { webhook: URL, secret: NAME } }`,
    );
  return {
    ...config,
    root,
    ...(file !== undefined && { file }),
    dir: dirOf(root),
    store: storeFolder(store, root, file ?? root),
  };
};

/** Files of the user's own steps, absolute and sorted. A named file that is absent fails; a glob may find nothing. */
export const stepFiles = async (config: Config): Promise<string[]> => {
  const found = new Set<string>();
  for (const pattern of config.steps) {
    if (isGlob(pattern)) {
      for await (const name of glob(pattern, { cwd: config.root })) found.add(resolve(config.root, name));
    } else {
      const path = resolve(config.root, pattern);
      if (!existsSync(path))
        throw new ConfigError(
          `${config.file}: steps: there is no file ${path}`,
          'correct the path, or make the step: portolan step new NAME',
        );
      found.add(path);
    }
  }
  return [...found].sort();
};
