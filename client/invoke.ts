import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Endpoint } from '../contracts/endpoint.ts';
import { nameOf, operations, serviceOf, type OperationName, type Operations, type Service } from '../contracts/index.ts';
import type { CallOptions } from './client.ts';
import { ContractError } from './errors.ts';
import { send, type Transport } from './send.ts';

/** Input of an operation; where only the run knows which it is, anything, which its schema then checks. */
export type InputOf<N extends OperationName> = OperationName extends N ? unknown : z.input<Operations[N]['input']>;
export type OutputOf<N extends OperationName> = z.output<Operations[N]['output']>;

/** Sends one call of any operation by its full name: `invoke('maps.projects.get', { project_id })`. One attempt. */
export type Invoke = <N extends OperationName>(operation: N, input: InputOf<N>, options?: CallOptions) => Promise<OutputOf<N>>;

/** `each`: how a page is asked for, where once is not enough. */
export type PageOptions = CallOptions & { each?: <T>(page: () => Promise<T>) => Promise<T> };

/** The pages of a list, each asked for when it is wanted: `for await (const { data } of pages('instance.users.list', {}))`. */
export type Pages = <N extends OperationName>(
  operation: N,
  input: InputOf<N>,
  options?: PageOptions,
) => AsyncGenerator<OutputOf<N>, void, undefined>;

/** The same as `invoke`, by the operation's contract. */
export type Call = <E extends Endpoint>(endpoint: E, input: z.input<E['input']>, options?: CallOptions) => Promise<z.output<E['output']>>;

export type Calls = { invoke: Invoke; pages: Pages; call: Call };

/** Every way to send a call. The transport of a service is asked for only when one of its operations is called. */
export function createCalls(transportOf: (service: Service) => Transport): Calls {
  return {
    invoke: async (operation, input, options) => send(operation, operations[operation], input, transportOf(serviceOf(operation)), options),
    call: async (endpoint, input, options) => {
      const operation = nameOf(endpoint);
      return send(operation, endpoint, input, transportOf(serviceOf(operation)), options);
    },
    async *pages(operation, input, { each = once, ...options } = {}) {
      const endpoint = operations[operation];
      const checkGoesOn = checkedPages(operation);
      let next = firstInput(operation, input);
      while (next !== undefined) {
        const asked = next;
        const page = await each(() => send(operation, endpoint, asked, transportOf(serviceOf(operation)), options));
        checkGoesOn(asked, page);
        yield page;
        next = inputAfter(operation, next, page);
      }
    },
  };
}

const once = <T>(page: () => Promise<T>): Promise<T> => page();

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Input of the first page: where pages go by offset, their size is named, or all would come as one. */
function firstInput(operation: OperationName, input: unknown): unknown {
  const { page }: Endpoint = operations[operation];
  if (!page) throw new ContractError(operation, 'request', 'it has no pages');
  return page.by === 'offset' ? { [page.limit]: page.size, ...fieldsOf(input) } : input;
}

/** Checks of each page that it goes on in its list: one that comes back to where it was would never end. */
function checkedPages(operation: OperationName): (asked: unknown, answer: unknown) => void {
  const { page }: Endpoint = operations[operation];
  const sent = new Set<unknown>();
  let former: unknown;
  return (asked, answer) => {
    const got = fieldsOf(answer);
    if (page?.by === 'cursor') {
      sent.add(fieldsOf(asked)[page.cursor]);
      const cursor = got[page.next];
      if (cursor !== undefined && cursor !== null && sent.has(cursor))
        throw new ContractError(operation, 'answer', `${page.next} is a cursor that was sent before`);
    } else if (page) {
      const items = got[page.items];
      if (Array.isArray(items) && items.length > 0 && isDeepStrictEqual(items, former))
        throw new ContractError(operation, 'answer', `the page is the one before it again: ${page.offset} changes nothing`);
      former = items;
    }
  };
}

/** Input of the page that follows; undefined behind the last one. A page that is shorter than asked for need not be the last. */
function inputAfter(operation: OperationName, sent: unknown, answer: unknown): unknown {
  const { page }: Endpoint = operations[operation];
  const input = fieldsOf(sent);
  const got = fieldsOf(answer);
  if (page?.by === 'cursor') {
    const cursor = got[page.next];
    if (cursor === undefined || cursor === null) return undefined;
    return { ...input, [page.cursor]: cursor };
  }
  const items = page && got[page.items];
  return page && Array.isArray(items) && items.length > 0
    ? { ...input, [page.offset]: Number(input[page.offset] ?? 0) + items.length }
    : undefined;
}
