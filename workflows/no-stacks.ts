/**
 * Takes the stacks of the workflow code. A worker takes the stack of every promise that a workflow makes, each place of it looked up in a
 * source map, for a query that shows where a workflow waits: a quarter of the time of a workflow task, and of a run its view shows that
 * better. What fails in the interpreter has a stack where a history is replayed outside of a worker's sandbox.
 */
(Error as { stackTraceLimit?: number }).stackTraceLimit = 0;

export {};
