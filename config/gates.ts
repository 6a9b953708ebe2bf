import { createPermits, permitsBySubject, type Permits } from '../client/permits.ts';
import { limits, limitSubject } from '../contracts/limits.ts';
import type { ServiceConnection } from './connections.ts';
import { keptClosings } from './kept-closings.ts';
import type { Config } from './load.ts';
import { stateFolder } from './user-folders.ts';

/** The gates that calls of a connection pass: one for each address of a service, each user there and each key. */
export type Gates = (connection: ServiceConnection) => Permits;

/**
 * Gates of this process. What a service closes by user or key, it closes for every project and command of this user; a service
 * on this machine is known by its port, and that is another service tomorrow: by address only the project shares it.
 */
export function createGates({ dir }: Pick<Config, 'dir'>): Gates {
  const gates = new Map<string, Permits>();
  const keys = new Map<string, string>();
  const shared = stateFolder() ?? dir;
  return ({ url, hosted, subject, key, limits: own }) => {
    const { origin } = new URL(url);
    const gateOf = (gate: string, folder = shared): Permits => {
      const found = gates.get(gate);
      if (found) return found;
      const permits = createPermits({ ...limits, ...own }, { kept: keptClosings(folder, gate) });
      gates.set(gate, permits);
      return permits;
    };
    // Kept by where it is found: the limits of a user do not open because a key was rotated.
    const place = `${origin} ${key.place}`;
    const digest = keys.get(place) ?? key.digest();
    if (digest !== undefined) keys.set(place, digest);
    const whose = digest ?? key.place;
    return permitsBySubject(
      {
        address: gateOf(`${origin} address`, hosted ? shared : dir),
        user: gateOf(`${origin} user ${subject ?? whose}`),
        key: gateOf(`${origin} key ${whose}`),
      },
      limitSubject,
    );
  };
}
