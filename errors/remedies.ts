import type { FailureDetails } from './failure-details.ts';
import { meaningOf, remedyOfStatus } from './meanings.ts';

/** Failures beside those of `errors/meanings.ts`, by type; docs/errors.md is written from it. */
export const failures: Readonly<Record<string, { means: string; remedy: string }>> = {
  NetworkError: {
    means: 'No answer came from the service.',
    remedy: 'the service could not be reached for longer than the step may wait: portolan doctor',
  },
  TimeoutFailure: {
    means: 'The step, or the worker that did it, was not heard of within its time.',
    remedy: 'the service or the worker could not be reached for longer than the step may wait: portolan doctor',
  },
  ContractError: {
    means: 'Request or answer does not fit the contract of the operation.',
    remedy: 'the service answered in a form its text does not allow: see the request id in its log',
  },
  ConfigError: {
    means: 'A connection, or a secret that it names, cannot be used where the worker runs.',
    remedy:
      'correct portolan.config.mts, the file of the secret, or the environment in which the worker was started; then start the worker anew (portolan dev --stop, then portolan dev --detach)',
  },
  RefusedRequest: {
    means: 'A request that is never sent, because of where it would go.',
    remedy: 'see in the message what it asked for, and send it elsewhere',
  },
  Held: {
    means:
      'Another run holds the key that the run is to hold (`concurrency`), and its file, or a command, lets it not wait: nothing was done.',
    remedy: 'wait for the run that holds it, or end it',
  },
  Rejected: { means: 'A person refused what a gate asked.', remedy: 'a person refused it: settle what the note says' },
  Expired: {
    means: 'Nobody decided in the time that the gate gives.',
    remedy: 'have somebody decide, or give the gate longer (`expires`)',
  },
  ThreadEnded: {
    means: 'The code of an own step ended its thread, three times: `process.exit`, an error that nothing catches, too much memory.',
    remedy: 'correct the step’s code at the place that is named',
  },
  ProcessEnded: {
    means:
      'The process of the worker ended three times in a row while the code of an own step ran, at last with no other own step beside it: native code that crashed, a signal that it sent, memory that the machine did not have.',
    remedy: 'correct the code that is named, or let it do less at a time; then start the run again (portolan rerun)',
  },
  'expression-evaluation': {
    means: 'An expression met a field that is missing, or values that its operator does not take.',
    remedy: 'correct the expression; `.?` and `.orValue()` read what may be missing',
  },
  'expression-result': {
    means: 'An expression gave what is not plain JSON.',
    remedy: 'an expression of the file gave no plain JSON value: portolan validate FILE, and look at its inputs',
  },
  'expression-cost': {
    means: 'An expression would take too long on the data at hand.',
    remedy: 'give it less: work on lists belongs into a step of your own',
  },
};

/** What is said where nobody knows a remedy. */
export const noRemedy = 'correct the cause';

/** The remedy of a failure, its own first. */
export const remedyFor = (error: { type: string; details?: FailureDetails }): string =>
  error.details?.remedy ??
  remedyOfStatus(error.details?.status ?? 0) ??
  meaningOf(error.type)?.remedy ??
  failures[error.type]?.remedy ??
  noRemedy;
