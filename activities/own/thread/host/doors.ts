import { Readable } from 'node:stream';
import type { CallOptions } from '../../../../client/client.ts';
import { isOperation, type OperationName } from '../../../../contracts/index.ts';
import type { OwnFetch } from '../../../../client/own-fetch.ts';
import type { OwnStepContext } from '../../../../pipelines/own/define.ts';
import type { Channel, Handlers } from '../channel.ts';
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

type Options = {
  /** Doors of a call that is under way. */
  of: (scope: number) => Doors | undefined;
  channel: () => Channel<ThreadMethods>;
};

/** What the worker does when the code in a thread asks. */
export function createDoors({ of, channel }: Options): Handlers<WorkerMethods> {
  const doors = (scope: number): Doors => {
    const found = of(scope);
    if (!found) throw new Error('the step that asks has ended: nothing more is done for it');
    return found;
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
      return packed(channel(), await doors(scope).fetch(url, { ...init, ...sent, headers, signal }));
    },
    secret: async ({ scope, name }) => doors(scope).secret(name),
    async progress({ scope, progress }) {
      doors(scope).progress(progress);
      return null;
    },
    rows: async ({ scope, results }) => channel().lend(doors(scope).rows(results), rowsAtATime),
    invoke: async ({ scope, operation, input, options }, signal) =>
      doors(scope).invoke(known(operation), input, optionsOf(options, signal)),
    pages: async ({ scope, operation, input, options }) => {
      const { timeoutMs } = options;
      return channel().lend(doors(scope).pages(known(operation), input, timeoutMs === undefined ? {} : { timeoutMs }));
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

async function packed(channel: Channel<ThreadMethods>, reply: Response): Promise<SentResponse> {
  return {
    status: reply.status,
    statusText: reply.statusText,
    url: reply.url,
    headers: [...reply.headers],
    body: await bodyOf(channel, reply),
  };
}

/** A short body whole, where its length is known; any other is read from here. One that breaks off does so where it is read. */
async function bodyOf(channel: Channel<ThreadMethods>, { body, headers }: Response): Promise<SentBody | null> {
  if (body === null) return null;
  const length = headers.get('content-length');
  if (length === null || headers.has('content-encoding') || Number(length) > shortBytes) return channel.lend(body);
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch (error) {
    return channel.lend(
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
