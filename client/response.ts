import { failing, readStart } from './answer-body.ts';
import type { Incoming } from './exchange.ts';
import { networkCode } from './network-code.ts';

type Parts = {
  status: number;
  statusText: string;
  url: string;
  headers: ConstructorParameters<typeof Headers>[0];
  body: ConstructorParameters<typeof Response>[0];
};

/** A `Response` as `fetch` gives it: the class itself takes no address. */
export const responseOf = ({ url, body, ...init }: Parts): Response =>
  Object.defineProperty(new Response(body, init), 'url', { value: url });

/** Statuses whose answers have no body. */
const bodiless = new Set([204, 205, 304]);

/** Beyond it a `Response` knows none. */
const lastStatus = 599;

/** What may stand behind an answer that has no body. */
const nothingBytes = 64 * 1024;

type Asked = {
  method: string;
  url: string;
  /** The error of an answer that does not come whole. */
  lost: (code: string, sent: boolean) => Error;
};

/** What came back as a `Response`, its body read from the connection while it is read there. */
export async function answerOf({ status, statusText, headers, body }: Incoming, { method, url, lost }: Asked): Promise<Response> {
  const known = new Headers();
  for (const [name, values = []] of Object.entries(headers)) for (const value of [values].flat()) known.append(name, value);
  const none = method === 'HEAD' || bodiless.has(status) || status > lastStatus;
  if (none) await readStart(body, nothingBytes).catch(() => undefined);
  if (status > lastStatus) throw lost(`status ${status}`, true);
  const content = none ? null : ReadableStream.from(failing(body, (error) => lost(networkCode(error), true)));
  return responseOf({ status, statusText, url, headers: known, body: content });
}
