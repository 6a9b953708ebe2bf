import { Readable } from 'node:stream';
import type { CallOptions } from '../../../../client/client.ts';
import { isOperation, type OperationName } from '../../../../contracts/index.ts';
import type { OwnFetch } from '../../../../client/own-fetch.ts';
import type { OwnStepContext } from '../../../../pipelines/own/define.ts';
import type { Channel, Handlers, Lent } from '../channel.ts';
import type { ListedItem, SentBody, SentOptions, SentResponse, ThreadMethods, WorkerMethods } from '../protocol.ts';

/** What the code of one call may use of the worker. */
export type Doors = Pick<OwnStepContext, 'progress' | 'invoke' | 'pages' | 'secret' | 'rows'> & {
  fetch: OwnFetch;
  /** Takes listed items; absent where the code lists none. */
  list?: (items: ListedItem[]) => Promise<void>;
};

/** An answer up to this size is sent with its headers. */
const shortBytes = 64 * 1024;

/** Rows sent at a time. */
const rowsAtATime = 256;

/** Lets the code in the thread read an iterable, up to so many values at a time. */
type Lend = (iterable: AsyncIterable<unknown>, most?: number) => Lent;

type Options = {
  /** Doors of a call that is under way. */
  of: (scope: number) => (Doors & { signal: AbortSignal }) | undefined;
  channel: () => Channel<ThreadMethods>;
};

/** What the worker does when the code in a thread asks. */
export function createDoors({ of, channel }: Options): Omit<Handlers<WorkerMethods>, 'exits'> {
  const doors = (scope: number): Doors & { signal: AbortSignal } => {
    const found = of(scope);
    if (!found) throw new Error('the step that asks has ended: nothing more is done for it');
    return found;
  };
  /** Read by the code of the call until that is over, which it may be by now. */
  const lendTo =
    (scope: number): Lend =>
    (iterable, most = 1) => {
      const lent = channel().lend(iterable, { most, owner: scope });
      if (!of(scope)) channel().end(lent);
      return lent;
    };
  const optionsOf = ({ timeoutMs, secret, call, onItems, onAnswer }: SentOptions, signal: AbortSignal): CallOptions => ({
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(secret === undefined ? {} : { secret }),
    ...(onItems ? { onItems: async (items) => void (await channel().request('onItems', { call: call!, items })) } : {}),
    ...(onAnswer
      ? {
          onAnswer: (answer) =>
            void channel()
              .request('onAnswer', { call: call!, answer })
              .catch(() => undefined),
        }
      : {}),
  });
  return {
    async fetch({ scope, url, init, headers, body }, signal) {
      const sent = body === null ? {} : { body: body instanceof Uint8Array ? body : stream(channel(), body) };
      return packed(lendTo(scope), await doors(scope).fetch(url, { ...init, ...sent, headers, signal }));
    },
    secret: async ({ scope, name }) => doors(scope).secret(name),
    async progress({ scope, progress }) {
      doors(scope).progress(progress);
      return null;
    },
    rows: async ({ scope, results }) => lendTo(scope)(doors(scope).rows(results), rowsAtATime),
    async invoke({ scope, operation, input, options }, signal) {
      const { invoke, signal: over } = doors(scope);
      return invoke(known(operation), input, optionsOf(options, AbortSignal.any([signal, over])));
    },
    async pages({ scope, operation, input, options: { timeoutMs } }) {
      const { pages, signal } = doors(scope);
      return lendTo(scope)(pages(known(operation), input, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) }));
    },
    async list({ scope, items }) {
      await doors(scope).list?.(items);
      return null;
    },
  };
}

function known(operation: string): OperationName {
  if (!isOperation(operation)) throw new Error(`'${operation}' is not an operation; portolan call --list shows them`);
  return operation;
}

async function* stream(channel: Channel<ThreadMethods>, body: Exclude<SentBody, Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of channel.borrow(body)) {
    if (!(piece instanceof Uint8Array)) throw new TypeError('context.fetch: a streamed body gives bytes, pieces of Uint8Array');
    yield piece;
  }
}

async function packed(lend: Lend, reply: Response): Promise<SentResponse> {
  return {
    status: reply.status,
    statusText: reply.statusText,
    url: reply.url,
    headers: [...reply.headers],
    body: await bodyOf(lend, reply),
  };
}

/** A short body whole, where its length is known; any other is read from here. One that breaks off does so where it is read. */
async function bodyOf(lend: Lend, { body, headers }: Response): Promise<SentBody | null> {
  if (body === null) return null;
  const length = headers.get('content-length');
  if (length === null || headers.has('content-encoding') || Number(length) > shortBytes) return lend(body);
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch (error) {
    return lend(
      Readable.from(
        (async function* () {
          yield* pieces;
          throw error;
        })(),
      ),
    );
  }
  return new Uint8Array(Buffer.concat(pieces));
}
