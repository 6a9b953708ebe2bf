import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DevFile } from '../config/dev-file.ts';
import { loadConfig, stepFiles } from '../config/load.ts';
import type { Config } from '../config/load.ts';
import { identify } from '../config/identity.ts';
import { DevError } from './dev-error.ts';
import { askedPort, readPorts, removeDevFile, writeDevFile, writePorts } from './dev-file.ts';
import type { Ports } from './dev-file.ts';
import type { Kept } from './kept.ts';
import { startService, startWorker, watchOwnFiles } from './service-and-worker.ts';
import type { DevServiceOptions, ServiceProcess, WorkerProcess } from './service-and-worker.ts';
import { devHolder, holdDev } from './holder.ts';
import { portOf, portsOf, startDevTemporal } from './temporal/start.ts';
import type { AnyTemporalSource, DevTemporal } from './temporal/start.ts';

export type DevOptions = DevServiceOptions & {
  cwd: string;
  /** Ports that a person named: 0 is any, another is that or the start fails. The rest is as at the last start, or free. */
  ports?: Ports;
  /** False: server and service only. */
  worker?: boolean;
  temporalSource?: AnyTemporalSource;
};

export type Dev = {
  config: Config;
  /** What stands in `dev.json` now. */
  file(): DevFile;
  /** The processes, to be watched or killed; each is started again when it dies. */
  temporal?: DevTemporal['kept'];
  service: Kept<ServiceProcess>;
  worker?: Kept<WorkerProcess>;
  /** Ends worker, service and server, in this order. */
  stop(): Promise<void>;
};

type Parts = { temporal?: DevTemporal; service?: Kept<ServiceProcess>; worker?: Kept<WorkerProcess>; watching?: { close(): void } };

/** Contents of `dev.json`; undefined while server or service are not up. */
const describe = (options: DevOptions, parts: Parts, startedAt: string): DevFile | undefined => {
  const self = identify(process.pid);
  const service = parts.service?.current();
  const worker = parts.worker?.current();
  if (self === undefined || service === undefined || parts.temporal === undefined) return undefined;
  return {
    version: 1,
    ...self,
    temporal: parts.temporal.entry(),
    service: {
      url: service.url,
      keyFiles: service.keyFiles,
      control: options.control ?? false,
      ...(options.embedding && { embedding: options.embedding }),
      pid: service.pid,
      startTime: service.startTime,
    },
    ...(worker && { worker: { pid: worker.pid, startTime: worker.startTime } }),
    startedAt,
  };
};

/**
 * Starts what a laptop needs: a Temporal server (or the configured cluster), the local service, a worker.
 * Returns when all is ready; `dev.json` then says where everything is. Fails when `dev` runs in this folder already.
 */
export const startDev = async (options: DevOptions): Promise<Dev> => {
  const { report } = options;
  const config = await loadConfig(options.cwd);
  // What is wrong with it is said before anything is started.
  await stepFiles(config);
  const { dir } = config;
  // Histories and the run store hold what pipelines work on.
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = holdDev(dir);
  if (lock === undefined) {
    const holder = devHolder(dir);
    throw new DevError(
      `portolan dev runs in ${config.root} already${holder ? ` (process ${holder.pid})` : ''}`,
      'use it, or stop it: portolan dev --stop',
    );
  }
  const parts: Parts = {};
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      parts.watching?.close();
      await parts.worker?.stop();
      await parts.service?.stop();
      await parts.temporal?.kept?.stop();
      removeDevFile(dir);
      lock.release();
    })());

  const startedAt = new Date().toISOString();
  const write = (): void => {
    const file = describe(options, parts, startedAt);
    if (file !== undefined && stopped === undefined) writeDevFile(dir, file);
  };
  try {
    const former = readPorts(dir);
    const named = options.ports ?? {};
    // Neither is left under way when the other fails.
    const started = await Promise.allSettled([
      startDevTemporal({ config, former, named, source: options.temporalSource, report, onStart: write }).then(
        (temporal) => (parts.temporal = temporal),
      ),
      startService(config, options, askedPort('service', named, former), write).then((service) => (parts.service = service)),
    ]);
    const failed = started.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const { temporal, service } = parts as Required<Pick<Parts, 'temporal' | 'service'>>;
    write();
    const url = service.current()?.url;
    writePorts(dir, { ...former, ...portsOf(temporal.entry()), ...(url && { service: portOf(url) }) });
    report(`service: ${url}`);
    if (options.worker !== false) {
      const worker = await startWorker(config, report, write);
      parts.worker = worker;
      write();
      parts.watching = await watchOwnFiles(config, () => worker.restart('the configuration or a step changed'));
    }
    const file = (): DevFile => {
      const now = describe(options, parts, startedAt);
      if (now === undefined) throw new DevError('a part of portolan dev is being started again', `see ${join(dir, 'logs')}`);
      return now;
    };
    return {
      config,
      file,
      ...(temporal.kept && { temporal: temporal.kept }),
      service,
      ...(parts.worker && { worker: parts.worker }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
