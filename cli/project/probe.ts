import type { Permits } from '../../client/permits.ts';
import { send } from '../../client/send.ts';
import type { ServiceConnection } from '../../config/connections.ts';
import { nameOf, services, type Service } from '../../contracts/index.ts';

/** Asks a service something harmless with the connection's key: whose it is, where the API says so. Fails as a call does. */
export async function probe(
  service: Service,
  { url: baseUrl, token }: ServiceConnection,
  { permits, timeoutMs }: { permits: Permits; timeoutMs: number },
): Promise<string | undefined> {
  const { endpoint, input, owner } = services[service].probe;
  return owner(await send(nameOf(endpoint), endpoint, input, { baseUrl, token, permits, timeoutMs }));
}
