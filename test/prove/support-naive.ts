import { randomUUID } from 'node:crypto';
import { operations } from '../../contracts/index.ts';
import type { Stack } from '../support/stack.ts';

/** Tags points as a client would that takes no notice of Retry-After: sends again at once until it is let through. */
export async function naiveClient(stack: Stack, map: string): Promise<void> {
  const client = randomUUID();
  const refusals: string[] = [];
  const { method, path } = operations['maps.tags.update'];
  for (let call = 0; call < 2; call++) {
    const callId = randomUUID();
    const body = JSON.stringify({ projection_id: map, tag_name: `naive-${call}`, ids: ['none'], operation: 'add', id_field: 'id' });
    for (let status = 429; status === 429;) {
      const reply = await fetch(stack.url + path, {
        method,
        headers: {
          authorization: `Bearer ${stack.adminKeys.maps}`,
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
