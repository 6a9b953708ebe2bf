import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { celVersion } from '../../pipelines/expressions/environment.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { factsOf, type RunInput } from '../../pipelines/run-start.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { workflowType } from '../../workflows/messages.ts';
import type { World } from './world.ts';

/** The run of a command that found a key free which another run has taken since, and is not to wait. Returns its id when it is over. */
export async function startSecond({ client, place: { storeRoot } }: World, key: string, notify?: Plan['notify']): Promise<string> {
  const id = `second-${randomUUID()}`;
  const plan: Plan = {
    version: 1,
    cel: celVersion,
    pipeline: 'second',
    hash: 'h',
    params: {},
    steps: [
      {
        id: 'ask',
        use: 'gate.approve',
        kind: 'gate',
        needs: [],
        with: {},
        connections: {},
        timeouts: { attemptMs: 1_000, deadlineMs: 60_000 },
      },
    ],
    outputs: {},
    sources: [],
    concurrency: { key },
    ...(notify && { notify }),
  };
  const start = { id, store: pathToFileURL(storeRoot).href, baseDir: '/', host: 'here', who: 'tester', connections: {} };
  const input: RunInput = { plan, start: { ...start, origin: { command: 'run' } } };
  const memo = factsOf(plan, { ...input.start, id });
  const handle = await client.workflow.start(workflowType, { workflowId: id, taskQueue: taskQueueOf(storeRoot), args: [input], memo });
  await handle.result().catch(() => undefined);
  return id;
}
