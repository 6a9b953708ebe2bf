import { ApiError, Throttled } from '../../client/errors.ts';
import { connectionNames, resolveService, servicesOf } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import { liveDevFile } from '../../config/dev-file.ts';
import { services } from '../../contracts/index.ts';
import { localName } from '../../config/schema.ts';
import { probe } from '../project/probe.ts';
import { connectTemporal } from '../project/temporal.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { workersOn } from './workers.ts';
import { failed, type Check, type Found } from './check.ts';

export const temporal: Check = {
  name: 'temporal',
  needs: 'config',
  async run({ config, report }) {
    try {
      const open = await connectTemporal(config!, { report });
      try {
        const { serverVersion } = await open.client.workflowService.getSystemInfo({});
        await open.client.workflowService.describeNamespace({ namespace: open.namespace });
        const taskQueue = taskQueueOf(config!.store);
        const reached: Found = {
          ok: true,
          detail: `${open.address}, server ${serverVersion}, namespace ${open.namespace} (named by ${open.source})`,
        };
        const workers = await workersOn(open, taskQueue, Date.now());
        return [
          reached,
          workers > 0
            ? { ok: true, detail: `${workers} worker${workers === 1 ? '' : 's'} on task queue ${taskQueue}` }
            : {
                ok: false,
                detail: `no worker on task queue ${taskQueue}: runs would wait`,
                remedy: 'start one: portolan worker, or portolan dev',
              },
        ];
      } finally {
        await open.close();
      }
    } catch (error) {
      return failed(error, 'check the address, the namespace and the API key of the cluster');
    }
  },
};

/** What to do when a connection does not work, by status of the answer. */
const keyRemedies: Record<number, string> = {
  401: 'the key is not accepted: put a valid one where `secret` points',
  403: 'the key is known, but may not do what was tried: give it the role or scope',
};

export const connections: Check = {
  name: 'services',
  needs: 'config',
  async run({ config }) {
    // `local` is looked at only while `dev` runs: without it nothing is wrong.
    const names = connectionNames(config!).filter((name) => name !== localName || liveDevFile(config!.dir) !== undefined);
    if (names.length === 0)
      return [{ ok: true, detail: 'none configured, and portolan dev does not run (portolan dev --detach gives the connection local)' }];
    const gates = createGates(config!);
    return Promise.all(
      names
        .flatMap((name) => servicesOf(config!, name).map((service) => ({ name, service })))
        .map(async ({ name, service }): Promise<Found> => {
          const shown = `${name}: ${service}`;
          try {
            const connection = resolveService(config!, service, name);
            const at = `${shown} ${connection.url} (${connection.hosted ? 'hosted' : 'local'})`;
            const sending = { permits: gates(connection), timeoutMs: 10_000 };
            const { scopes } = services[service].probe.endpoint;
            const owner = await probe(service, connection, sending).catch((error: unknown) => {
              if (error instanceof Throttled) return error;
              if (error instanceof ApiError && error.status === 403 && scopes) return error;
              throw error;
            });
            // The key was known, or it were a 401: what it may do is another's affair.
            if (owner instanceof ApiError)
              return { ok: true, detail: `${at}, key known; it has no scope ${scopes!.join(' or ')}, by which it was tried` };
            // A limit stops runs no longer than it says: nothing is wrong.
            if (owner instanceof Throttled) return { ok: true, detail: `${at}, ${owner.message}` };
            return {
              ok: true,
              detail: `${at}${owner === undefined ? ', key accepted' : `, key of ${owner}`}`,
            };
          } catch (error) {
            const status = (error as { status?: number }).status;
            const [found] = failed(error, (status !== undefined && keyRemedies[status]) || 'check the URL and the network');
            return { ...found!, detail: `${shown} ${found!.detail}` };
          }
        }),
    );
  },
};
