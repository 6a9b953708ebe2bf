import type { z } from 'zod';
import type { Endpoint } from '../contracts/endpoint.ts';
import { nameOf, operations, serviceOf, type OperationName, type Operations, type Service } from '../contracts/index.ts';
import type { CallOptions } from './client.ts';
import { send, type Transport } from './send.ts';

/** Input of an operation; where only the run knows which it is, anything, which its schema then checks. */
export type InputOf<N extends OperationName> = OperationName extends N ? unknown : z.input<Operations[N]['input']>;
export type OutputOf<N extends OperationName> = z.output<Operations[N]['output']>;

/** Sends one call of any operation by its full name: `invoke('maps.projects.get', { project_id })`. One attempt. */
export type Invoke = <N extends OperationName>(operation: N, input: InputOf<N>, options?: CallOptions) => Promise<OutputOf<N>>;

/** The same, by the operation's contract. */
export type Call = <E extends Endpoint>(endpoint: E, input: z.input<E['input']>, options?: CallOptions) => Promise<z.output<E['output']>>;

/** Both ways to send a call. The transport of a service is asked for only when one of its operations is called. */
export function createCalls(transportOf: (service: Service) => Transport): { invoke: Invoke; call: Call } {
  return {
    invoke: async (operation, input, options) => send(operation, operations[operation], input, transportOf(serviceOf(operation)), options),
    call: async (endpoint, input, options) => {
      const operation = nameOf(endpoint);
      return send(operation, endpoint, input, transportOf(serviceOf(operation)), options);
    },
  };
}
