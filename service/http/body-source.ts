import { flow } from './flow.ts';
import type { Arrived } from './recorded.ts';

/** A body without bytes. */
export async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

/** The bytes of a request's body as they come in: from the socket where there is one. A reader that stops does not close the connection. */
export const received = ({ request, bindings }: Pick<Arrived, 'request' | 'bindings'>): AsyncIterable<Uint8Array> =>
  bindings ? flow(bindings.incoming) : (request.body ?? nothing());

/** The first half of a body, then an error, as when the connection breaks. `promised`: its content-length. */
export async function* cutInHalf(body: AsyncIterable<Uint8Array>, promised: string | null): AsyncGenerator<Uint8Array, void, undefined> {
  let left = Number(promised ?? 0) >> 1;
  for await (const chunk of body) {
    if (chunk.byteLength > left) {
      yield chunk.subarray(0, left);
      break;
    }
    left -= chunk.byteLength;
    yield chunk;
  }
  throw new Error('the connection was cut in the middle of the body by an ordered fault');
}
