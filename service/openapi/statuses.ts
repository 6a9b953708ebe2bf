import type { Endpoint } from '../../contracts/endpoint.ts';
import type { Service } from '../../contracts/index.ts';

/** Statuses that say the same wherever they come, and where they may. Those of one operation alone stand in its contract. */
const usual: readonly { status: number; says: string; where: (endpoint: Endpoint, service: Service) => boolean }[] = [
  { status: 401, says: 'no key, or one that the service does not know', where: ({ auth }) => auth !== false },
  { status: 403, says: 'the key may not do this, or not here', where: ({ auth }) => auth !== false },
  { status: 404, says: 'something that the request names is not there', where: (endpoint) => names(endpoint) },
  { status: 413, says: 'the body is too large', where: ({ method }) => method !== 'GET' },
  // Each API has its own status for a request that does not fit.
  { status: 422, says: 'the request does not fit', where: (endpoint, service) => service === 'maps' && takesInput(endpoint) },
  { status: 400, says: 'the request does not fit', where: (endpoint, service) => service === 'instance' && takesInput(endpoint) },
  { status: 429, says: 'too many requests of its limit class; Retry-After says when the next is accepted', where: () => true },
];

const fieldsOf = ({ input }: Endpoint): string[] => ('shape' in input ? Object.keys(input.shape as object) : []);

const takesInput = (endpoint: Endpoint): boolean => endpoint.body !== undefined || fieldsOf(endpoint).length > 0;

/** Fields that name something which may not be there. */
const naming = /(?:^|_)(?:id|ids|slug|hash|qids|body)$|(?:Id|Ids)$|^(?:file|organization_id_or_slug|field|fields|column|columns|id_field)$/;
const names = (endpoint: Endpoint): boolean => fieldsOf(endpoint).some((name) => naming.test(name));

/** The refusals of an operation by status, with all that each may say. */
export const refusalsOf = (endpoint: Endpoint, service: Service): Map<number, string[]> => {
  const found = new Map<number, string[]>();
  const add = (status: number, says: string): void => void found.set(status, [...(found.get(status) ?? []), says]);
  for (const { status, says, where } of usual) if (where(endpoint, service)) add(status, says);
  for (const { status, says } of endpoint.errors ?? []) add(status, says);
  for (const [status, says] of Object.entries(endpoint.refuses ?? {})) add(Number(status), says);
  return new Map([...found].toSorted(([a], [b]) => a - b));
};
