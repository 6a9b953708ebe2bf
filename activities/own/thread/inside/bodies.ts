import { responseOf } from '../../../../client/response.ts';
import type { Channel } from '../channel.ts';
import type { SentBody, SentResponse, WorkerMethods } from '../protocol.ts';

type PackedBody = { body: SentBody | null; type: string | null; end: () => void };

const nothing = (): void => undefined;

/** A request's body as it is sent to the worker: a stream piece by piece, all else whole. `type`: the content type that it implies. */
export async function packBody(channel: Channel<WorkerMethods>, given: RequestInit['body']): Promise<PackedBody> {
  if (given === null) return { body: null, type: null, end: nothing };
  if (typeof given === 'object' && Symbol.asyncIterator in given) {
    const body = channel.lend(given);
    return { body, type: null, end: () => channel.end(body) };
  }
  const packed = new Response(given);
  return { body: new Uint8Array(await packed.arrayBuffer()), type: packed.headers.get('content-type'), end: nothing };
}

/** The answer that the worker was given, as `fetch` gives it. */
export function unpackResponse(channel: Channel<WorkerMethods>, { body, ...said }: SentResponse): Response {
  const content = body === null || body instanceof Uint8Array ? body : ReadableStream.from(channel.borrow(body));
  return located(responseOf({ ...said, body: content as RequestInit['body'] }));
}

const readings = ['json', 'text', 'arrayBuffer', 'bytes', 'blob', 'formData'] as const;

/** An answer whose body, where it cannot be read, fails with the stack of who reads it: the stack of a built-in reader leads nowhere. */
function located(response: Response): Response {
  for (const name of readings) {
    const read = Response.prototype[name];
    const value = (): Promise<unknown> => {
      const asked = new Error();
      return read.call(response).catch((error: unknown) => {
        if (error instanceof Error) error.stack = `${error.stack}${(asked.stack ?? '').replace(/^.*/, '')}`;
        throw error;
      });
    };
    Object.defineProperty(response, name, { value });
  }
  return response;
}
