import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { celVersion } from '../../pipelines/expressions/environment.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { workflowType } from '../../workflows/messages.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** The end of a run of a plan without steps. */
async function ran(version: { version: number; cel: string }): Promise<unknown> {
  const id = `versions-${randomUUID()}`;
  const plan = { pipeline: 'versions', hash: 'h', params: {}, steps: [], outputs: {}, sources: [], concurrency: null, ...version };
  const start = { id, store: pathToFileURL(world.place.storeRoot).href, baseDir: '/', host: 'here', who: 'test', connections: {} };
  const options = { workflowId: id, taskQueue: taskQueueOf(world.place.storeRoot), args: [{ plan, start }] };
  return world.client.workflow.execute(workflowType, options).catch((error: unknown) => {
    if (error instanceof WorkflowFailedError) return error.cause;
    throw error;
  });
}

test('a plan means what it means under its own interpreter and expressions only: a worker of others refuses it', async () => {
  expect(await ran({ version: 1, cel: celVersion })).toMatchObject({ state: 'done' });
  expect(await ran({ version: 2, cel: celVersion })).toMatchObject({
    type: 'PlanVersion',
    message: expect.stringContaining('update the worker'),
  });
  expect(await ran({ version: 1, cel: 'other' })).toMatchObject({
    type: 'PlanVersion',
    message: expect.stringContaining('expressions of other'),
  });
});
