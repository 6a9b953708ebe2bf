import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

/**
 * Refuses events that reach a workflow before the task that brings them. Core 1.24 hands them over when a query comes first to a worker
 * that does not know the run: with the time and the length of the task before, and apart from what else comes with their own task. A replay
 * has them with that task, at its time and in its order, so that the run could never be replayed again. Refused, the query fails, the
 * worker forgets the run, and the task begins it anew from its history.
 *
 * By the length the history has grown, by its size no task has begun since: the server reckons the size anew at each (0: it knows none).
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const seen = { length: 0, size: 0 };
  return {
    internals: [
      {
        activate(input, next) {
          const { historyLength: length, historySize: size } = workflowInfo();
          const isQuery = input.activation.jobs?.every(({ queryWorkflow }) => queryWorkflow);
          if (!isQuery && seen.size > 0 && length > seen.length && size === seen.size)
            throw new Error('a query came before the task that it asks about: ask again');
          if (!isQuery) Object.assign(seen, { length, size });
          next(input);
        },
      },
    ],
  };
};
