import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { celVersion } from '../../pipelines/expressions/environment.ts';
import type { Notify } from '../../pipelines/notify-rule.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { workflowType } from '../../workflows/messages.ts';
import { alertReceiver } from '../support/alert-receiver.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** The end of a run of a plan without steps. */
async function ran(version: { version: number; cel: string; notify?: Notify }, id = `versions-${randomUUID()}`): Promise<unknown> {
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

test('a run that is refused for its plan is alerted to as any that failed', async () => {
  const receiver = await alertReceiver();
  onTestFinished(() => receiver.close());
  process.env['ALERT_SECRET'] = 'of-a-channel';
  const config = { secrets: { hook: { env: 'ALERT_SECRET' } }, channels: { ops: { webhook: receiver.url, secret: 'hook' } } };
  await world.write('portolan.config.mts', `export default ${JSON.stringify(config)};`);
  await world.worker.stop();
  await world.worker.start(0);
  const notify: Notify = { on: ['failed', 'recovered'], to: ['ops'] };
  const id = `versions-${randomUUID()}`;
  await ran({ version: 2, cel: celVersion, notify }, id);
  await world.client.workflow.getHandle(`portolan/alert/${id}/failed`).result();
  expect(JSON.parse(receiver.of(`${id}/failed`)[0]!.body)).toMatchObject({ error: { type: 'PlanVersion' }, state: 'failed', run: id });
  expect((await world.portolan(['why', id])).out).toMatch(/failed.*\n.*this worker runs plans of version 1, not 2/);
  expect((await world.portolan(['status', id])).out).toMatch(/alert +failed +ops +sent/);
  const done = `versions-${randomUUID()}`;
  await ran({ version: 1, cel: celVersion, notify }, done);
  await world.client.workflow.getHandle(`portolan/watch/${world.taskQueue}/versions`).result();
  await world.client.workflow.getHandle(`portolan/alert/${done}/recovered`).result();
  expect(receiver.of(`${done}/recovered`)).toHaveLength(1);
});
