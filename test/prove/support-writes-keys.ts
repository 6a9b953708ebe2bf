import { createClient } from '../../client/create-client.ts';
import { revealing } from '../../client/secret-sink.ts';
import { createPermits } from '../../client/permits.ts';
import { whole } from './support-found.ts';
import type { OwnService } from './support-service.ts';
import type { Writer } from './support-writes.ts';

/** Things of one kind in one round: each is written to once, so that what is found of a write is its own doing. */
export const each = 8;

export const instanceOf = ({ url, adminKeys }: OwnService, token = adminKeys.instance) =>
  createClient('instance', { baseUrl: url, token, permits: createPermits() });

/** Whoever reads the token of a session or a key. */
export const revealingOf = ({ url, adminKeys }: OwnService, token = adminKeys.maps) =>
  createClient('maps', { baseUrl: url, token, permits: createPermits(), secrets: revealing });

/** Users to disable, disabled ones to enable, and keys to revoke. */
export async function prepareKeys(service: OwnService) {
  const { control } = service;
  const api = instanceOf(service);
  const user = async (name: string): Promise<string> => (await control.addUser({ name, email: `${name}@example.com` })).id;
  const made = [];
  for (let at = 0; at < each; at++) {
    const disabled = await user(`disabled-${at}`);
    await api.users.disable({ id: disabled, reason: 'prepared' });
    const { id: key } = await control.issueKey({ service: 'instance', name: `key-${at}`, scopes: ['admin:users:read'] });
    made.push({ enabled: await user(`enabled-${at}`), disabled, key });
  }
  return made;
}

/** Writers of both APIs' keys and of users. */
export function keyWriters(
  service: OwnService,
  { organization_id, made }: { organization_id: string; made: Awaited<ReturnType<typeof prepareKeys>> },
  { write }: Writer,
): (() => Promise<void>)[] {
  const { keys } = revealingOf(service);
  const instance = instanceOf(service);
  const named = async (key_name: string): Promise<number> =>
    (await keys.list({ organization_id })).keys.filter((key) => key.key_name === key_name).length;

  return [
    async () => {
      for (let at = 0; ; at++) {
        const removed = { organization_id, key_name: `removed-${at}` };
        const kept = { organization_id, key_name: `kept-${at}` };
        await write(
          'maps.keys.create',
          (options) => keys.create(kept, options),
          async () => whole((await named(kept.key_name)) === 1),
        );
        await keys.create(removed);
        await write(
          'maps.keys.remove',
          (options) => keys.remove(removed, options),
          async () => whole((await named(removed.key_name)) === 0),
        );
      }
    },
    async () => {
      for (const { enabled, disabled, key } of made) {
        await write(
          'instance.users.disable',
          (options) => instance.users.disable({ id: enabled, reason: 'written' }, options),
          async () => whole((await instance.users.get({ id: enabled })).disabled),
        );
        await write(
          'instance.users.enable',
          (options) => instance.users.enable({ id: disabled, reason: 'written' }, options),
          async () => whole(!(await instance.users.get({ id: disabled })).disabled),
        );
        await write(
          'instance.apiKeys.revoke',
          (options) => instance.apiKeys.revoke({ id: key }, options),
          async () => {
            const { data } = await instance.apiKeys.list({ includeRevoked: true, limit: 100 });
            return whole(data.find(({ id }) => id === key)?.revokedAt != null);
          },
        );
      }
    },
  ];
}
