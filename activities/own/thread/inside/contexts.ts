import type { CallOptions } from '../../../../client/client.ts';
import type { Clients } from '../../../../client/create-client.ts';
import type { OwnStepContext } from '../../../../pipelines/own/define.ts';
import type { Progress } from '../../../../pipelines/phases.ts';
import type { Channel } from '../channel.ts';
import type { CallFacts, SentOptions, ThreadMethods, WorkerMethods } from '../protocol.ts';
import { packBody, unpackResponse } from './bodies.ts';
import { checkedProgress } from './progress.ts';

/** Shortest time between two reports of one call: code that reports every row would fill the worker's queue. */
const progressMs = 100;

type Contexts = {
  /** What the code of one call is given. */
  of(facts: CallFacts, signal: AbortSignal): OwnStepContext;
  onItems(given: ThreadMethods['onItems']['input']): Promise<null>;
  onAnswer(given: ThreadMethods['onAnswer']['input']): Promise<null>;
};

/** Contexts of calls in this thread: each of their functions is a question to the worker, which holds permits, secrets and clients. */
export function createContexts(channel: Channel<WorkerMethods>, operations: readonly string[]): Contexts {
  const clients = clientsOf(operations);
  const calls = new Map<number, CallOptions>();
  let last = 0;

  /** Options as they can be sent; their functions stay here until `work` is over. */
  const withOptions = async <T>(given: CallOptions = {}, work: (options: SentOptions) => Promise<T>): Promise<T> => {
    const { timeoutMs, secret, onItems, onAnswer } = given;
    const call = ++last;
    calls.set(call, given);
    try {
      return await work({
        call,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(secret === undefined ? {} : { secret }),
        ...(onItems ? { onItems: true } : {}),
        ...(onAnswer ? { onAnswer: true } : {}),
      });
    } finally {
      calls.delete(call);
    }
  };

  return {
    of({ scope, attempt, run }, signal) {
      const invoke = (operation: string, input: unknown, given?: CallOptions): Promise<unknown> =>
        withOptions(given, (options) => channel.request('invoke', { scope, operation, input, options }, given?.signal));
      async function* pages(operation: string, input: unknown, given?: CallOptions): AsyncGenerator<unknown, void, undefined> {
        const { timeoutMs } = given ?? {};
        const options = timeoutMs === undefined ? {} : { timeoutMs };
        yield* channel.borrow(await channel.request('pages', { scope, operation, input, options }, given?.signal));
      }
      async function* rows(results: string): AsyncGenerator<Record<string, unknown>, void, undefined> {
        for await (const row of channel.borrow(await channel.request('rows', { scope, results }))) yield row as Record<string, unknown>;
      }
      const reads = {
        fetch: async (url, { body, headers, signal: own, method, auth, timeoutSeconds } = {}) => {
          const packed = await packBody(channel, body ?? null);
          const all = new Headers(headers);
          if (packed.type !== null && !all.has('content-type')) all.set('content-type', packed.type);
          const init = {
            ...(method === undefined ? {} : { method }),
            ...(auth === undefined ? {} : { auth }),
            ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
          };
          try {
            const request = { scope, url: String(url), init, headers: [...all], body: packed.body };
            return unpackResponse(channel, await channel.request('fetch', request, own ?? undefined));
          } finally {
            packed.end();
          }
        },
        secret: (name) => channel.request('secret', { scope, name }),
        progress: throttled((progress) => void channel.request('progress', { scope, progress }).catch(() => undefined)),
        rows,
        signal,
        run,
        attempt,
      } satisfies Partial<OwnStepContext>;
      return Object.assign(clients(invoke), { ...reads, invoke, pages }) as OwnStepContext;
    },
    async onItems({ call, items }) {
      await calls.get(call)?.onItems?.(items);
      return null;
    },
    async onAnswer({ call, answer }) {
      calls.get(call)?.onAnswer?.(answer);
      return null;
    },
  };
}

type Invoke = (operation: string, input: unknown, options?: CallOptions) => Promise<unknown>;

/** Services with their operations as methods, `maps.projects.get` of the service `maps`: made when the code first names one. */
function clientsOf(operations: readonly string[]): (invoke: Invoke) => Clients {
  const services = Object.entries(Object.groupBy(operations, (operation) => operation.split('.')[0]!));
  const client = (names: readonly string[], invoke: Invoke): Record<string, Record<string, unknown>> => {
    const resources: Record<string, Record<string, unknown>> = {};
    for (const operation of names) {
      const [, resource, method] = operation.split('.') as [string, string, string];
      (resources[resource] ??= {})[method] = (input: unknown, options?: CallOptions) => invoke(operation, input, options);
    }
    return resources;
  };
  return (invoke) =>
    Object.defineProperties(
      {} as Clients,
      Object.fromEntries(services.map(([service, names = []]) => [service, { enumerable: true, get: () => client(names, invoke) }])),
    );
}

/** Calls at most every 100 ms, and once more with what came last. What cannot be reported fails where it is given. */
function throttled(report: (progress: Progress) => void): (progress: Progress) => void {
  let at = -Infinity;
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    at = performance.now();
    report(latest!);
  };
  return (progress) => {
    latest = checkedProgress(progress);
    if (performance.now() - at >= progressMs) send();
    else timer ??= setTimeout(send, progressMs).unref();
  };
}
