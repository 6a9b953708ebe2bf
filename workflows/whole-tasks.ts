import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { earlyQuery, query } from './messages.ts';

/**
 * Makes a worker forget a run to which a query has brought events before their workflow task. Core 1.24 hands them over when a query comes
 * first to a worker that does not know the run: at the time and the length of the workflow task before, and apart from what else comes
 * with their own. A replay has them with their own workflow task, at its time and in its order: of a run that went on from there it might
 * do something else, and the run would stand still. The query fails, and the workflow task begins the run anew from its history. A closed
 * run goes on no more: of it the query gives all that happened.
 *
 * Every workflow task records a new size of the history (0 by servers that know none): where events have come at the same size, none has
 * begun.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const seen = { length: 0, size: 0, early: false };
  return {
    internals: [
      {
        activate(input, next) {
          const { historyLength: length, historySize: size } = workflowInfo();
          const queries = input.activation.jobs?.flatMap(({ queryWorkflow }) => queryWorkflow?.queryType ?? []) ?? [];
          if (queries.length === 0) {
            const early = seen.size > 0 && length > seen.length && size === seen.size;
            Object.assign(seen, { length, size, early });
          } else if (seen.early && !queries.every((type) => type === query.closedView)) throw new Error(earlyQuery);
          next(input);
        },
      },
    ],
  };
};
