import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { readRun } from '../../runs/view.ts';
import type { RunView } from '../../workflows/messages.ts';

/** What a server has of a run that is over: its status, and the failure with the view in its details. */
function clientOf(status: string, failure: Error): Client {
  const description = {
    status: { name: status },
    memo: {},
    workflowId: 'w',
    runId: 'r',
    startTime: new Date(0),
    historyLength: 1,
    raw: {},
  };
  const handle = {
    describe: async () => description,
    result: () => Promise.reject(new WorkflowFailedError('it failed', failure, 'NON_RETRYABLE_FAILURE')),
  };
  return { workflow: { getHandle: () => handle } } as unknown as Client;
}

const viewOf = (state: RunView['state']): RunView => ({ run: 'r1', pipeline: 'p', state, steps: [] });

test.for([
  // The execution that was asked to end continued as new: the server knows no cancellation of the last one.
  ['FAILED', 'cancelled', 'cancelled'],
  ['FAILED', 'failed', 'failed'],
  ['FAILED', 'refused', 'refused'],
  ['CANCELLED', 'cancelled', 'cancelled'],
  ['TERMINATED', 'running', 'cancelled'],
] as const)('a run that the server calls %s and that says %s is %s', async ([status, says, state]) => {
  const failure =
    says === 'failed'
      ? ApplicationFailure.create({ message: 'x', details: [viewOf(says)] })
      : new CancelledFailure('cancelled', [viewOf(says)]);
  const place = { client: clientOf(status, failure), storeRoot: '/nowhere' };
  const { view } = await readRun(place, { run: 'r1', workflowId: 'w', store: 'file:///nowhere/r1' });
  expect(view.state).toBe(state);
});
