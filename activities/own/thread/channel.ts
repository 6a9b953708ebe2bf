import type { MessagePort, Worker } from 'node:worker_threads';
import type { ErrorCodec, PackedError } from './error-codec.ts';

/** What one side does for the other, by method. */
type Methods = { [method: string]: { input: unknown; output: unknown } };

export type Handlers<M extends Methods> = {
  [Name in keyof M]: (input: M[Name]['input'], signal: AbortSignal) => Promise<M[Name]['output']>;
};

/** An iterable of the other side, read from there piece by piece. */
export type Lent = { lent: number };

export type Channel<Theirs extends Methods> = {
  /** Asks the other side. An abort is passed on, and the answer waited for all the same. */
  request<Name extends keyof Theirs & string>(
    method: Name,
    input: Theirs[Name]['input'],
    signal?: AbortSignal,
  ): Promise<Theirs[Name]['output']>;
  /** Lets the other side read an iterable, up to `most` values at a time, until `owner` ends. */
  lend(iterable: AsyncIterable<unknown>, options?: { most?: number; owner?: number }): Lent;
  /** Reads an iterable of the other side; it is ended there when reading stops. */
  borrow(lent: Lent): AsyncGenerator<unknown, void, undefined>;
  /** Ends what this side has lent, read to the end or not. */
  end(lent: Lent): void;
  /** The same of all that was lent for an owner. */
  endOf(owner: number): void;
  /** Requests that are waited for, and all that follow, fail with this error. */
  close(error: Error): void;
};

type Message =
  | { is: 'request'; id: number; method: string; input: unknown }
  | { is: 'abort'; id: number; reason: PackedError }
  | { is: 'reply'; id: number; value: unknown }
  | { is: 'failure'; id: number; error: PackedError };

type Reply = { value: unknown } | { error: PackedError } | { closed: Error };

type Piece = { values: unknown[]; done: boolean };

export type ChannelOptions = {
  /** Sends together what one turn of the event loop has to say: waking the other side is the dearest part of a message. */
  gather?: boolean;
};

/** One side of a connection between two threads that ask each other. */
export function createChannel<Theirs extends Methods, Ours extends Methods>(
  port: MessagePort | Worker,
  handlers: Handlers<Ours>,
  errors: ErrorCodec,
  { gather = false }: ChannelOptions = {},
): Channel<Theirs> {
  const waiting = new Map<number, (reply: Reply) => void>();
  const serving = new Map<number, AbortController>();
  const lent = new Map<number, { iterator: AsyncIterator<unknown>; most: number; owner: number | undefined }>();
  let last = 0;
  let closed: Error | undefined;
  let gathered: Message[] = [];
  /** What cannot be cloned fails whoever sent it. */
  const postAlone = (message: Message): void => {
    try {
      port.postMessage([message]);
    } catch (error) {
      if (message.is === 'request') settle(message.id, { closed: error as Error });
      else if (message.is === 'reply') port.postMessage([{ is: 'failure', id: message.id, error: errors.pack(error) } satisfies Message]);
    }
  };
  const flush = (): void => {
    const messages = gathered;
    gathered = [];
    try {
      port.postMessage(messages);
    } catch {
      for (const message of messages) postAlone(message);
    }
  };
  const post = (message: Message): void => {
    if (!gather) postAlone(message);
    else if (gathered.push(message) === 1) setImmediate(flush);
  };

  const end = async (id: number): Promise<null> => {
    const found = lent.get(id);
    lent.delete(id);
    await found?.iterator.return?.();
    return null;
  };
  const builtIn: Handlers<{ next: { input: number; output: Piece }; end: { input: number; output: null } }> = {
    async next(id) {
      const found = lent.get(id);
      // An end would be taken for that of what is read.
      if (!found) throw new Error('what is read has been ended: whoever asked for it is over');
      const values: unknown[] = [];
      while (values.length < found.most) {
        const { done, value } = await found.iterator.next();
        if (done) {
          lent.delete(id);
          return { values, done: true };
        }
        // A view of a large buffer would be cloned with all of it.
        values.push(value instanceof Uint8Array ? new Uint8Array(value) : value);
      }
      return { values, done: false };
    },
    end,
  };
  const table = { ...handlers, ...builtIn } as Handlers<Methods>;

  const serve = async ({ id, method, input }: { id: number; method: string; input: unknown }): Promise<void> => {
    const stop = new AbortController();
    serving.set(id, stop);
    try {
      post({ is: 'reply', id, value: await table[method]!(input, stop.signal) });
    } catch (error) {
      post({ is: 'failure', id, error: errors.pack(error) });
    } finally {
      serving.delete(id);
    }
  };
  const settle = (id: number, reply: Reply): void => {
    waiting.get(id)?.(reply);
    waiting.delete(id);
  };
  const take = (message: Message): void => {
    if (message.is === 'request') void serve(message);
    else if (message.is === 'abort') serving.get(message.id)?.abort(errors.unpack(message.reason));
    else settle(message.id, message.is === 'reply' ? { value: message.value } : { error: message.error });
  };
  port.on('message', (messages: Message[]) => {
    // What came together is taken in turns of its own: a call that ends at once is reported before the next one begins.
    for (const message of messages)
      if (gather) take(message);
      else setImmediate(take, message);
  });

  const ask = async (method: string, input: unknown, signal?: AbortSignal): Promise<unknown> => {
    if (closed) throw closed;
    const id = ++last;
    const abort = (): void => post({ is: 'abort', id, reason: errors.pack(signal!.reason) });
    const { promise, resolve } = Promise.withResolvers<Reply>();
    waiting.set(id, resolve);
    try {
      post({ is: 'request', id, method, input });
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort, { once: true });
      const reply = await promise;
      if ('closed' in reply) throw reply.closed;
      // Made here, so that its stack leads to who asked.
      if ('error' in reply) throw errors.unpack(reply.error);
      return reply.value;
    } finally {
      signal?.removeEventListener('abort', abort);
      waiting.delete(id);
    }
  };
  return {
    request: ask,
    lend(iterable, { most = 1, owner } = {}) {
      const id = ++last;
      lent.set(id, { iterator: iterable[Symbol.asyncIterator](), most, owner });
      return { lent: id };
    },
    async *borrow({ lent: id }) {
      let over = false;
      try {
        while (!over) {
          const { values, done } = (await ask('next', id)) as Piece;
          over = done;
          yield* values;
        }
      } finally {
        if (!over && !closed) void ask('end', id).catch(() => undefined);
      }
    },
    end: ({ lent: id }) => void end(id).catch(() => undefined),
    endOf(owner) {
      for (const [id, each] of lent) if (each.owner === owner) void end(id).catch(() => undefined);
    },
    close(error) {
      closed = error;
      for (const id of [...waiting.keys()]) settle(id, { closed: error });
      for (const stop of serving.values()) stop.abort(error);
      for (const id of [...lent.keys()]) void end(id).catch(() => undefined);
    },
  } as Channel<Theirs>;
}
