import type { Endpoint } from '../contracts/endpoint.ts';
import { bounded, readAll } from './answer-body.ts';
import { notTheApi } from './errors.ts';
import type { Incoming } from './exchange.ts';
import { jsonItems } from './json-items.ts';

/** The answer is not one of its operation; `remedy`: what to look at. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Largest answer, where its operation names none. */
const usualBytes = 64 * 1024 * 1024;

type OnItems = (items: unknown[]) => Promise<void>;

/** The value of a successful answer, by the kind that its operation names, before its schema has seen it. */
export async function decode(endpoint: Endpoint, { status, headers, body }: Incoming, onItems?: OnItems): Promise<unknown> {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const kind = endpoint.answer ?? 'json';
  if (type.startsWith('text/html')) throw new Unreadable('it is a page of HTML', notTheApi);
  // Whoever acknowledges without a word may not be the service.
  if (status === 204 && endpoint.status !== 204) throw new Unreadable(`it is a 204, and the text gives ${endpoint.status}`, notTheApi);
  if (kind === 'nothing' || status === 204) {
    await readAll(bounded(body, usualBytes));
    return null;
  }
  const within = bounded(body, endpoint.answerBytes ?? usualBytes);
  if (kind === 'stream') return within;
  if (kind === 'bytes' || (kind === 'json or bytes' && type.startsWith('application/octet-stream'))) return readAll(within);
  return unwrapped(endpoint, onItems && endpoint.list ? await members(body, endpoint.list, onItems) : parse(await readAll(within)));
}

function unwrapped({ envelope }: Endpoint, value: unknown): unknown {
  if (envelope === undefined) return value;
  return typeof value === 'object' && value !== null && envelope in value ? (value as Record<string, unknown>)[envelope] : value;
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return null;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Unreadable('it is not JSON', notTheApi);
  }
}

/** Hands the members of a list over as they come; the answer without them. */
async function members(
  body: AsyncIterable<Uint8Array>,
  { under, member }: NonNullable<Endpoint['list']>,
  onItems: OnItems,
): Promise<unknown> {
  const parts = jsonItems(body, under);
  const take = async (items: unknown[]): Promise<void> => {
    for (const item of items)
      if (!member.safeParse(item).success)
        throw new Unreadable(`a member of its list is ${typeof item === 'object' ? 'an object of another form' : `a ${typeof item}`}`);
    await onItems(items);
  };
  let handedOver = false;
  for (;;) {
    const next = await parts.next().catch((error: unknown) => {
      throw error instanceof SyntaxError ? new Unreadable(`it is not JSON (${error.message})`, notTheApi) : error;
    });
    if (next.done) return null;
    if ('rest' in next.value) {
      const { left, rest } = membersLeft(next.value.rest, under);
      if (left.length === 0) return rest;
      if (handedOver) throw new Unreadable('it holds its list twice');
      await take(left);
      return rest;
    }
    handedOver = true;
    await take(next.value.items);
  }
}

/** The members that were not seen while the answer came, as behind a byte order mark or under an escaped name; the answer without them. */
function membersLeft(answer: unknown, under: string): { left: unknown[]; rest: unknown } {
  if (Array.isArray(answer)) return { left: answer, rest: [] };
  const none = { left: [], rest: answer };
  if (typeof answer !== 'object' || answer === null || !Object.hasOwn(answer, under)) return none;
  const list = (answer as Record<string, unknown>)[under];
  return Array.isArray(list) ? { left: list, rest: { ...answer, [under]: [] } } : none;
}
