import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, Client } from '@temporalio/client';
import type { Protection } from '../../activities/frame/protection.ts';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { identify } from '../../config/identity.ts';
import { writeDevFile } from '../../dev/dev-file.ts';
import { spawnOwn, type OwnProcess } from '../../dev/processes.ts';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { portOf } from '../../dev/temporal/start.ts';
import { startTemporal, type TemporalServer } from '../../dev/temporal/server.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { createControl } from './control.ts';
import { configureLifted, openLimits, lifted } from './lifted-limits.ts';
import type { ServiceReady } from '../../service/app.ts';

export type StackOptions = {
  /** Address of a server to share; default: an own one with its own database file. */
  temporal?: string;
  workers?: number;
  /** For the controls of proofs: what the workers do without. */
  without?: readonly (keyof Protection)[];
  embedding?: 'lexical' | 'semantic';
  /** Added to the environment of the workers. */
  env?: Readonly<Record<string, string>>;
  /** Prebuilt workflow code. */
  bundle?: string;
  /** Called before anything is started, with the folder of the stack. */
  prepare?: (dir: string) => Promise<void>;
  /** Run on the Temporal server's own settings instead of the quick ones. */
  defaults?: boolean;
  /** Without the published limits of the instance API: what sends much and is not about them would wait for their windows. */
  lifted?: boolean;
};

/** What one worker may have differently from the stack. */
export type WorkerOptions = Pick<StackOptions, 'without'>;

/** What the service may have differently when it is started again over the same data. */
export type ServiceOptions = Pick<StackOptions, 'embedding'>;

/** Everything real and apart: Temporal server, local service and workers as own processes, each of which can be killed. */
export async function createStack(options: StackOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-stack-'));
  const state = join(dir, '.portolan');
  await mkdir(state, { recursive: true });
  await writeFile(join(dir, 'portolan.config.mts'), 'export default {};\n');
  await options.prepare?.(dir);
  const taskQueue = taskQueueOf(join(state, 'runs'));

  const temporalDir = join(dir, '.temporal');
  const binary = options.temporal
    ? undefined
    : await findTemporal({ dir: new URL('../../.portolan', import.meta.url).pathname, report: () => undefined });
  let server: TemporalServer | undefined;
  const startServer = async (port?: number): Promise<void> => {
    server = await startTemporal({
      dir: temporalDir,
      binary: binary!.path,
      headless: true,
      fast: !options.defaults,
      ...(port ? { port: { port } } : {}),
    });
  };
  if (!options.temporal) await startServer();
  const address = options.temporal ?? server!.address;

  let service: OwnProcess<ServiceReady>;
  let url = '';
  let adminKeys: ServiceReady['adminKeys'];
  let keyFiles: ServiceReady['keyFiles'];
  let servicePort = 0;
  const startService = async ({ embedding = options.embedding ?? 'lexical' }: ServiceOptions = {}): Promise<void> => {
    service = spawnOwn<ServiceReady>({
      entry: 'service/main',
      args: [
        '--port',
        String(servicePort),
        '--data',
        join(state, 'service'),
        '--json',
        '--control',
        '--embedding',
        embedding,
        '--project',
        dir,
      ],
      log: join(state, 'logs', 'service.log'),
      quiet: true,
    });
    ({ url, adminKeys, keyFiles } = await service.ready);
    servicePort = portOf(url);
  };
  await startService();
  const now = identify(process.pid)!;
  writeDevFile(state, {
    version: 1,
    ...now,
    temporal: { address, namespace: 'default', source: 'kept', forced: true },
    service: { url, keyFiles: keyFiles!, control: true, ...now },
    startedAt: new Date().toISOString(),
  });
  const control = createControl(() => url);
  if (options.lifted) {
    await openLimits(control);
    await configureLifted(dir, url, keyFiles!);
  }

  const workers: OwnProcess<{ ready: true }>[] = [];
  const startWorker = async (index = workers.length, { without = options.without }: WorkerOptions = {}): Promise<void> => {
    workers[index] = spawnOwn({
      entry: without ? 'test/support/unprotected-worker' : 'workers/main',
      args: ['--cwd', dir],
      cwd: dir,
      log: join(state, 'logs', `worker-${index}.log`),
      env: {
        ...process.env,
        ...options.env,
        ...(options.bundle ? { PORTOLAN_WORKFLOW_BUNDLE: options.bundle } : {}),
        ...(without ? { WITHOUT: without.join(',') } : {}),
      },
    });
    await workers[index].ready;
  };
  await Promise.all(Array.from({ length: options.workers ?? 1 }, (_, index) => startWorker(index)));

  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const stack = {
    dir,
    state,
    taskQueue,
    address,
    client,
    get url() {
      return url;
    },
    get adminKeys() {
      return adminKeys;
    },
    control,
    /** By which runs reach the service. */
    connection: options.lifted ? lifted : 'local',
    api: createClient('maps', { baseUrl: url, token: adminKeys!.maps, permits: createPermits() }),
    instance: createClient('instance', { baseUrl: url, token: adminKeys!.instance, permits: createPermits() }),
    service: {
      kill: () => service.kill(),
      start: startService,
      get pid() {
        return service.pid;
      },
    },
    worker: {
      kill: (index = 0) => workers[index]!.kill(),
      start: startWorker,
      /** Resolves when its process has ended, by itself or not. */
      exited: (index = 0) => workers[index]!.exited,
      stop: (index = 0, graceMs?: number) => workers[index]!.stop(graceMs),
      pid: (index = 0) => workers[index]!.pid,
    },
    temporal: {
      /** The server itself, not its watcher. */
      get pid() {
        return server?.serverPid;
      },
      kill: () => server!.kill(),
      /** Again on the same port, which the workers know. */
      start: async () => {
        await startServer(Number(address.split(':')[1]));
        if (server!.address !== address) throw new Error(`the Temporal server came back on ${server!.address}, not on ${address}`);
      },
    },
    /** Fails, when all is ended, where a fault that was ordered never fired. */
    async [Symbol.asyncDispose]() {
      try {
        await control.checkFired();
      } finally {
        await connection.close().catch(() => undefined);
        await Promise.all(workers.map((worker) => worker.stop(5_000)));
        await service.stop(5_000);
        await server?.stop();
        // Set to look at what a failed test left behind.
        if (!process.env['PORTOLAN_KEEP_STACKS']) await rm(dir, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
  return stack;
}

export type Stack = Awaited<ReturnType<typeof createStack>>;
