import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { connectionNames, resolveConnection } from '../../config/connections.ts';
import { liveDevFile } from '../../config/dev-file.ts';
import { localName } from '../../config/schema.ts';
import { maps } from '../../contracts/maps/index.ts';
import { connectTemporal } from '../project/temporal.ts';
import { taskQueue } from '../../workflows/messages.ts';
import { failed, type Check, type Found } from './check.ts';

export const temporal: Check = {
  name: 'temporal',
  needs: 'config',
  async run({ config }) {
    try {
      const open = await connectTemporal(config!);
      try {
        const { serverVersion } = await open.client.workflowService.getSystemInfo({});
        await open.client.workflowService.describeNamespace({ namespace: open.namespace });
        const { pollers } = await open.client.workflowService.describeTaskQueue({
          namespace: open.namespace,
          taskQueue: { name: taskQueue },
        });
        const reached: Found = {
          ok: true,
          detail: `${open.address}, server ${serverVersion}, namespace ${open.namespace} (named by ${open.source})`,
        };
        const workers = pollers?.length ?? 0;
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
  403: 'the key may not read its own user: use one with a role',
};

export const connections: Check = {
  name: 'services',
  needs: 'config',
  async run({ config }) {
    // `local` is looked at only while `dev` runs: without it nothing is wrong.
    const names = connectionNames(config!).filter((name) => name !== localName || liveDevFile(config!.dir) !== undefined);
    if (names.length === 0)
      return [{ ok: true, detail: 'none configured, and portolan dev does not run (portolan dev --detach gives the connection local)' }];
    return Promise.all(
      names.map(async (name): Promise<Found> => {
        try {
          const { hosted, maps: open } = resolveConnection(config!, name);
          const client = createClient('maps', maps, {
            baseUrl: open.url,
            token: () => open.token(),
            permits: createPermits(),
            timeoutMs: 10_000,
          });
          const user = await client.user.get({});
          return {
            ok: true,
            detail: `${name}: ${open.url} (${hosted ? 'hosted' : 'local'}), key of ${user.name ?? user.nickname ?? user.sub}`,
          };
        } catch (error) {
          const status = (error as { status?: number }).status;
          const [found] = failed(error, (status !== undefined && keyRemedies[status]) || 'check the URL and the network');
          return { ...found!, detail: `${name}: ${found!.detail}` };
        }
      }),
    );
  },
};
