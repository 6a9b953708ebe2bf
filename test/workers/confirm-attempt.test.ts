import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import { createConfirm } from '../../workers/confirm-attempt.ts';

type Heartbeat = { namespace: string; taskToken: Uint8Array; details: { payloads: Payload[] } | null };

/** Asks a server that takes the heartbeat, or refuses it with a code of gRPC. */
async function asked(code?: number, progress?: unknown) {
  const heartbeats: Heartbeat[] = [];
  const recordActivityTaskHeartbeat = async (heartbeat: Heartbeat): Promise<void> => {
    heartbeats.push(heartbeat);
    if (code !== undefined) throw Object.assign(new Error(`code ${code}`), { code });
  };
  const confirm = createConfirm({ workflowService: { recordActivityTaskHeartbeat } }, 'default');
  return { standing: await confirm(new Uint8Array([7]), progress), heartbeats };
}

test('an attempt is held while the server takes its heartbeat, which carries the progress that was reported', async () => {
  const { standing, heartbeats } = await asked(undefined, { done: 3 });
  expect(standing).toBe('held');
  expect(heartbeats).toMatchObject([{ namespace: 'default', taskToken: new Uint8Array([7]) }]);
  expect(defaultPayloadConverter.fromPayload(heartbeats[0]!.details!.payloads[0]!)).toEqual({ done: 3 });
  expect((await asked()).heartbeats[0]!.details).toBeNull();
});

test.each([3, 5, 9])('code %i: the server does not know the attempt any more', async (code) => {
  expect((await asked(code)).standing).toBe('given away');
});

test.each([1, 4, 8, 13, 14])('code %i: the server cannot be asked, which says nothing of the attempt', async (code) => {
  expect((await asked(code)).standing).toBe('unreachable');
});
