import { join } from 'node:path';
import { loadConfig, stepFiles } from '../config/load.ts';
import type { Config } from '../config/load.ts';
import type { PortTaken, ServiceReady } from '../service/app.ts';
import { keepRunning } from './kept.ts';
import type { Kept } from './kept.ts';
import { portInUse } from './ports.ts';
import type { AskedPort } from './ports.ts';
import { spawnOwn } from './processes.ts';
import type { OwnProcess } from './processes.ts';
import { portOf } from './temporal/start.ts';
import { watchFiles } from './watch-files.ts';

export type ServiceProcess = OwnProcess<ServiceReady | PortTaken> & Pick<ServiceReady, 'url' | 'keyFiles'>;

/** First message of a worker's process. */
type WorkerReady = { ready: true };
export type WorkerProcess = OwnProcess<WorkerReady>;

export type DevServiceOptions = {
  embedding?: 'lexical' | 'semantic';
  /** File that names an endpoint for the agents. */
  agents?: string;
  /** Whether the service has its control plane: ordered faults and the journal; loopback only. */
  control?: boolean;
  report: (line: string) => void;
};

/** How long a worker may drain, in milliseconds: a little more than its own grace. */
const drainMs = 20_000;

const dataDir = (dir: string): string => join(dir, 'service');

/** The local service on the data of this project, kept running; on the port asked for where it is free, which only opening it shows. */
export const startService = (
  config: Config,
  options: DevServiceOptions,
  asked: AskedPort | undefined,
  onStart: () => void,
): Promise<Kept<ServiceProcess>> => {
  let wanted = asked?.port;
  return keepRunning({
    name: 'service',
    report: options.report,
    onStart,
    start: async () => {
      const args = ['--port', String(wanted ?? 0), '--data', dataDir(config.dir)];
      if (asked?.option === undefined) args.push('--or-free');
      if (options.embedding !== undefined) args.push('--embedding', options.embedding);
      if (options.agents !== undefined) args.push('--agents', options.agents);
      args.push('--pages', '--project', config.root);
      if (options.control) args.push('--control');
      const log = join(config.dir, 'logs', 'service.log');
      const service = spawnOwn<ServiceReady | PortTaken>({ entry: 'service/main', args, log, quiet: true });
      const message = await service.ready;
      if ('portTaken' in message) throw portInUse(message.portTaken, asked?.option ?? 'service-port');
      const { url, keyFiles } = message;
      wanted = portOf(url);
      return { ...service, url, keyFiles };
    },
  });
};

/** The project's worker, kept running. */
export const startWorker = (config: Config, report: DevServiceOptions['report'], onStart: () => void): Promise<Kept<WorkerProcess>> =>
  keepRunning({
    name: 'worker',
    report,
    onStart,
    start: async () => {
      const worker = spawnOwn<WorkerReady>({
        entry: 'workers/main',
        args: ['--cwd', config.root, '--json'],
        cwd: config.root,
        log: join(config.dir, 'logs', 'worker.log'),
      });
      await worker.ready;
      return { ...worker, stop: () => worker.stop(drainMs) };
    },
  });

/** Reports changes of the configuration and of the files of own steps. */
export const watchOwnFiles = (config: Config, changed: () => void) =>
  watchFiles({
    root: config.root,
    patterns: async () => (await loadConfig(config.root)).steps,
    files: async () => [join(config.root, 'portolan.config.mts'), ...(await stepFiles(await loadConfig(config.root)))],
    changed,
  });
