import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Heartbeat } from '../../pipelines/phases.ts';
import { createConfirm } from '../../workers/confirm-attempt.ts';

type Recorded = { namespace: string; taskToken: Uint8Array; details: { payloads: Payload[] } };

/** Asks a server that takes the heartbeat, or refuses it with a code of gRPC. */
async function asked(code?: number, latest: Heartbeat = { waits: 0 }) {
  const heartbeats: Recorded[] = [];
  const recordActivityTaskHeartbeat = async (heartbeat: Recorded): Promise<void> => {
    heartbeats.push(heartbeat);
    if (code !== undefined) throw Object.assign(new Error(`code ${code}`), { code });
  };
  const confirm = createConfirm({ workflowService: { recordActivityTaskHeartbeat } }, 'default');
  return { standing: await confirm(new Uint8Array([7]), latest), heartbeats };
}

test('an attempt is held while the server takes its heartbeat, which carries what was reported', async () => {
  const { standing, heartbeats } = await asked(undefined, { waits: 2, progress: { done: 3, unit: 'rows' } });
  expect(standing).toBe('held');
  expect(heartbeats).toMatchObject([{ namespace: 'default', taskToken: new Uint8Array([7]) }]);
  expect(defaultPayloadConverter.fromPayload(heartbeats[0]!.details.payloads[0]!)).toEqual({
    waits: 2,
    progress: { done: 3, unit: 'rows' },
  });
});

test.each([3, 5, 9])('code %i: the server does not know the attempt any more', async (code) => {
  expect((await asked(code)).standing).toBe('given away');
});

test.each([1, 4, 8, 13, 14])('code %i: the server cannot be asked, which says nothing of the attempt', async (code) => {
  expect((await asked(code)).standing).toBe('unreachable');
});
