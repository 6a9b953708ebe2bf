import { randomUUID } from 'node:crypto';
import { operations, serviceOf, type OperationName } from '../../contracts/index.ts';
import type { Stack } from '../support/stack.ts';

/** Sends two calls as a client would that takes no notice of Retry-After: again at once until each is let through. */
async function sendNaively(stack: Stack, operation: OperationName, bodyOf: (call: number) => object): Promise<void> {
  const client = randomUUID();
  const refusals: string[] = [];
  const { method, path } = operations[operation];
  for (let call = 0; call < 2; call++) {
    const callId = randomUUID();
    const body = JSON.stringify(bodyOf(call));
    for (let status = 429; status === 429;) {
      const reply = await fetch(stack.url + path, {
        method,
        headers: {
          authorization: `Bearer ${stack.adminKeys[serviceOf(operation)]}`,
          'content-type': 'application/json',
          'x-client-process': client,
          'x-call-id': callId,
          'x-refusals-read': refusals.slice(-32).join(',') || '-',
        },
        body,
      });
      await reply.arrayBuffer();
      ({ status } = reply);
      if (status === 429) refusals.push(reply.headers.get('x-request-id')!.slice(0, 8));
    }
  }
}

/** Tags points naively. */
export const naiveClient = (stack: Stack, map: string): Promise<void> =>
  sendNaively(stack, 'maps.tags.update', (call) => ({
    projection_id: map,
    tag_name: `naive-${call}`,
    ids: ['none'],
    operation: 'add',
    id_field: 'id',
  }));

/** Launches agents naively. */
export const naiveLaunches = (stack: Stack): Promise<void> =>
  sendNaively(stack, 'instance.agents.launch', (call) => ({ prompt: { text: `Summarise: ${call}.` } }));
