import { pathFields, type Endpoint } from '../contracts/endpoint.ts';

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
    if (value === undefined || inPath.includes(name)) continue;
    if (!hasBody || endpoint.query?.includes(name))
      for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item));
    else rest[name] = value;
  }
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
