import type { Permits } from '../../client/permits.ts';
import { send } from '../../client/send.ts';
import type { ServiceConnection } from '../../config/connections.ts';
import { isRepeatable, type Ask } from '../../contracts/endpoint.ts';
import { assumptionNames, assumptions, type AssumptionName } from '../../contracts/assumptions/index.ts';
import { operations } from '../../contracts/index.ts';
import { get as userOf, organizationOf } from '../../contracts/maps/user.ts';
import { CommandError } from '../frame/errors.ts';
import { sendPatiently } from '../project/send-patiently.ts';
import type { Found } from './found.ts';
import { readProbes } from './read-probes.ts';
import { scratchProbes } from './scratch-probes.ts';

/** One line for each assumption: its reading, or why it cannot be known. */
export type ReadingLine = { name: AssumptionName; reading?: string; unknown?: string };

type ProbeOptions = { permits: Permits; scratch: boolean; report: (text: string) => void; signal: AbortSignal };

/**
 * Finds the readings of a live service: by reads alone, and with `scratch` also by writes to a dataset that is made for it and
 * removed again.
 */
export async function findReadings(
  connection: ServiceConnection,
  { permits, scratch, report, signal }: ProbeOptions,
): Promise<ReadingLine[]> {
  const transport = { baseUrl: connection.url, token: connection.token, permits };
  const ask: Ask = (endpoint, input) => {
    const name = Object.entries(operations).find(([, { method, path }]) => method === endpoint.method && path === endpoint.path)?.[0];
    return sendPatiently(() => send(name ?? endpoint.path, endpoint, input, transport, { signal }), isRepeatable(endpoint), report, signal);
  };
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
  if (scratch) parts.push(await scratchProbes(ask, organization_id));
  return assumptionNames.map((name): ReadingLine => {
    const reading = parts.map(({ readings }) => readings[name]).find((each) => each !== undefined);
    if (reading !== undefined) return { name, reading };
    const said = parts.map(({ unknown }) => unknown[name]).find((each) => each !== undefined);
    const { probe } = assumptions[name];
    if (said !== undefined) return { name, unknown: said };
    return { name, unknown: probe === 'scratch' && !scratch ? 'shows by writes only: --scratch' : 'cannot be known before it happens' };
  });
}

/** Lines of a configuration that name what was found. */
export const configurationOf = (name: string, lines: readonly ReadingLine[]): string =>
  [
    `connections.${name}.maps.readings: {`,
    ...lines.flatMap((line) => (line.reading === undefined ? [] : [`  '${line.name}': '${line.reading}',`])),
    '}',
  ].join('\n');
