import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../client/create-client.ts';
import type { Client } from '../../client/client.ts';
import { createPermits } from '../../client/permits.ts';
import { maps } from '../../contracts/maps/index.ts';
import { freePort } from '../../dev/ports.ts';
import { spawnOwn, type OwnProcess } from '../../dev/processes.ts';
import { createControl, type Control } from '../support/control.ts';
import type { ServiceReady } from '../../service/app.ts';

export type OwnService = {
  readonly url: string;
  readonly adminKeys: ServiceReady['adminKeys'];
  readonly log: string;
  /** Folder of its data. */
  readonly data: string;
  readonly pid: number;
  control: Control;
  api: Client<typeof maps>;
  kill(): Promise<unknown>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A local service as a process of its own with a fresh folder: it can be killed and started again on its data, on the same port. */
export async function createOwnService(): Promise<OwnService> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-service-'));
  const log = join(dir, 'service.log');
  const port = await freePort();
  let process: OwnProcess<ServiceReady>;
  let ready: ServiceReady;
  const start = async (): Promise<void> => {
    process = spawnOwn<ServiceReady>({
      entry: 'service/main',
      args: ['--port', String(port), '--data', join(dir, 'data'), '--json', '--control', '--embedding', 'lexical'],
      log,
      quiet: true,
    });
    ready = await process.ready;
  };
  await start();
  const control = createControl(() => ready.url);
  return {
    get url() {
      return ready.url;
    },
    get adminKeys() {
      return ready.adminKeys;
    },
    get pid() {
      return process.pid;
    },
    log,
    data: join(dir, 'data'),
    control,
    api: createClient('maps', { baseUrl: ready!.url, token: ready!.adminKeys.maps, permits: createPermits() }),
    kill: () => process.kill(),
    start,
    async [Symbol.asyncDispose]() {
      try {
        await control.checkFired();
      } finally {
        await process.stop(5_000);
        await rm(dir, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}
