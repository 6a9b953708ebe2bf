import type { Service } from '../contracts/index.ts';
import type { Config } from './load.ts';
import type { ConfiguredService } from './schema.ts';

type Limits = NonNullable<ConfiguredService['limits']>;
type Limit = NonNullable<Limits[keyof Limits]>;

/**
 * The limits of a service of a connection: of each class the strictest that any connection names for the same user, or the same key, at
 * the same address. They are counted together, and which of them calls first must not decide.
 */
export function sharedLimits({ connections }: Pick<Config, 'connections'>, service: Service, own: ConfiguredService): Limits {
  const shared: Limits = {};
  for (const { [service]: other } of Object.values(connections)) {
    if (!other || whose(other) !== whose(own)) continue;
    for (const [name, limit] of Object.entries(other.limits ?? {}) as [keyof Limits, Limit][]) {
      const known = shared[name];
      if (!known || rate(limit) < rate(known)) shared[name] = limit;
    }
  }
  return shared;
}

const rate = ({ count, seconds }: Limit): number => count / seconds;

const whose = ({ url, subject, secret }: ConfiguredService): string => JSON.stringify([new URL(url).origin, subject ?? secret]);
