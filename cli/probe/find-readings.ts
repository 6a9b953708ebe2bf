import type { Permits } from '../../client/permits.ts';
import { send } from '../../client/send.ts';
import type { ServiceConnection } from '../../config/connections.ts';
import { isRepeatable, type Ask } from '../../contracts/endpoint.ts';
import { assumptionNames, assumptions, assumptionsOf, type AssumptionName } from '../../contracts/assumptions/index.ts';
import { operations, serviceNames } from '../../contracts/index.ts';
import { get as userOf, organizationOf } from '../../contracts/maps/user.ts';
import { CommandError } from '../frame/errors.ts';
import { sendPatiently } from '../project/send-patiently.ts';
import type { Found } from './found.ts';
import { instanceProbes } from './instance-probes.ts';
import { readProbes } from './read-probes.ts';
import { scratchProbes } from './scratch-probes.ts';

/** One line for each assumption: its reading, or why it cannot be known. */
export type ReadingLine = { name: AssumptionName; reading?: string; unknown?: string };

/** Where a service is, and who says when it may be asked. */
type Reached = { connection: ServiceConnection; permits: Permits };

type ProbeOptions = { scratch: boolean; report: (text: string) => void; signal: AbortSignal };

/**
 * Finds the readings of the live services of a connection: by reads alone, and with `scratch` also by writes to a dataset that is made for
 * it and removed again.
 */
export async function findReadings(
  { maps, instance }: { maps: Reached; instance?: Reached | undefined },
  options: ProbeOptions,
): Promise<ReadingLine[]> {
  const { scratch } = options;
  const parts: Found[] = [...(await mapsParts(maps, options)), ...(instance ? [await instanceProbes(asking(instance, options))] : [])];
  return assumptionNames.map((name): ReadingLine => {
    const reading = parts.map(({ readings }) => readings[name]).find((each) => each !== undefined);
    if (reading !== undefined) return { name, reading };
    const said = parts.map(({ unknown }) => unknown[name]).find((each) => each !== undefined);
    if (said !== undefined) return { name, unknown: said };
    if (!instance && Object.hasOwn(assumptionsOf.instance, name)) return { name, unknown: 'the connection has no instance API' };
    const { probe } = assumptions[name];
    return { name, unknown: probe === 'scratch' && !scratch ? 'shows by writes only: --scratch' : 'cannot be known before it happens' };
  });
}

const asking = ({ connection, permits }: Reached, { report, signal }: ProbeOptions): Ask => {
  const transport = { baseUrl: connection.url, token: connection.token, permits };
  return (endpoint, input) => {
    const name = Object.entries(operations).find(([, { method, path }]) => method === endpoint.method && path === endpoint.path)?.[0];
    return sendPatiently(() => send(name ?? endpoint.path, endpoint, input, transport, { signal }), isRepeatable(endpoint), report, signal);
  };
};

async function mapsParts(reached: Reached, options: ProbeOptions): Promise<Found[]> {
  const { connection } = reached;
  const ask = asking(reached, options);
  const user = await ask(userOf, {});
  const organization = organizationOf(user, connection.organization);
  if (!organization)
    throw new CommandError(
      connection.organization === undefined
        ? `the key of connection '${connection.name}' belongs to no organization`
        : `connection '${connection.name}' names organization '${connection.organization}', and its key does not belong to it`,
      { remedy: `it belongs to: ${user.organizations.map(({ organization_id: id, slug }) => slug ?? id).join(', ') || 'none'}` },
    );
  const { organization_id, slug } = organization;
  const parts: Found[] = [await readProbes(ask, slug ?? organization_id)];
  if (options.scratch) parts.push(await scratchProbes(ask, organization_id));
  return parts;
}

/** Lines of a configuration that name what was found, for each service that has shown something. */
export const configurationOf = (name: string, lines: readonly ReadingLine[]): string =>
  serviceNames
    .flatMap((service) => {
      const found = lines.flatMap((line) =>
        line.reading !== undefined && Object.hasOwn(assumptionsOf[service], line.name) ? [`  '${line.name}': '${line.reading}',`] : [],
      );
      return found.length === 0 ? [] : [[`connections.${name}.${service}.readings: {`, ...found, '}'].join('\n')];
    })
    .join('\n');
