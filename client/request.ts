import { pathFields, type Endpoint } from '../contracts/endpoint.ts';
import { encodeQuery } from '../contracts/query.ts';

/** Method, URL and body of a call, from its endpoint and its parsed input. */
export function toRequest(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  baseUrl: string,
): { method: string; url: string; body?: string | Uint8Array<ArrayBuffer>; contentType?: string } {
  const inPath = pathFields(endpoint.path);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  const hasBody = endpoint.method !== 'GET';
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && !inPath.includes(name) && !(endpoint.query && name in endpoint.query)) rest[name] = value;
  }
  for (const [name, text] of encodeQuery(endpoint.query ?? {}, input)) url.searchParams.append(name, text);
  if (!hasBody) return { method: endpoint.method, url: url.href };
  if (endpoint.body === 'bytes')
    return {
      method: endpoint.method,
      url: url.href,
      body: rest['body'] as Uint8Array<ArrayBuffer>,
      contentType: 'application/octet-stream',
    };
  return { method: endpoint.method, url: url.href, body: JSON.stringify(rest), contentType: 'application/json' };
}
