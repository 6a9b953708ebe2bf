import { exchange, type Exchange, type Outgoing } from '../../../client/exchange.ts';
import { operations } from '../../../contracts/index.ts';
import { encodeQuery } from '../../../contracts/query.ts';
import type { Address } from '../../../service/http/addresses.ts';

/** The fields in a path of this form; undefined for another path. */
function fieldsIn(form: string, path: string): Record<string, string> | undefined {
  const names = [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const found = new RegExp(`^${form.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
  return found ? Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1]!)])) : undefined;
}

/** The request of an operation as it is sent to another address of the same: the fields stay, where they stand may change. */
function toAddress(outgoing: Outgoing, { method, path, query }: Address, inPath: Record<string, string>): Outgoing {
  const url = new URL(outgoing.url);
  const body = typeof outgoing.body === 'string' ? (JSON.parse(outgoing.body) as Record<string, unknown>) : {};
  const fields: Record<string, unknown> = { ...body, ...Object.fromEntries(url.searchParams), ...inPath };
  url.pathname = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])));
  url.search = String(
    new URLSearchParams(
      Object.entries(query).flatMap(([name, { type, field }]) => encodeQuery({ [name]: type }, { [name]: fields[field] })),
    ),
  );
  if (method !== 'GET') return { ...outgoing, method, url: String(url) };
  const { body: _body, headers, ...rest } = outgoing;
  const { 'content-type': _type, 'content-length': _length, ...others } = headers;
  return { ...rest, headers: others, method, url: String(url) };
}

/** Sends what is for an operation's own address to another one that the service has for it. */
export function redirected(address: Address): { by: Exchange; count: () => number } {
  const { method, path } = operations[address.operation];
  let count = 0;
  return {
    count: () => count,
    by: async (outgoing) => {
      const inPath = outgoing.method === method ? fieldsIn(path, new URL(outgoing.url).pathname) : undefined;
      if (!inPath) return exchange(outgoing);
      count++;
      return exchange(toAddress(outgoing, address, inPath));
    },
  };
}
