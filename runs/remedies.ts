import { meaningOf, remedyOfStatus } from '../errors/meanings.ts';
import type { RunError } from '../workflows/messages.ts';

type Remedy = { when: (error: RunError) => boolean; text: (error: RunError) => string };

const type =
  (...names: string[]) =>
  (error: RunError): boolean =>
    names.includes(error.type);

/** What to do about a failure that names no remedy of its own; the first that fits. */
const remedies: readonly Remedy[] = [
  {
    when: type('NetworkError', 'TimeoutFailure'),
    text: () => 'the service or the worker could not be reached for longer than the step may wait: portolan doctor',
  },
  {
    when: type('expression-result'),
    text: () => 'an expression of the file gave no plain JSON value: portolan validate FILE, and look at its inputs',
  },
  { when: type('Rejected'), text: () => 'a person refused it: settle what the note says' },
  { when: type('ContractError'), text: () => 'the service answered in a form its text does not allow: see the request id in its log' },
];

/** What is said where nobody knows a remedy. */
export const noRemedy = 'correct the cause';

/** The remedy of a failure, its own first. */
export const remedyFor = (error: RunError): string =>
  error.details?.remedy ??
  remedyOfStatus(error.details?.status ?? 0) ??
  meaningOf(error.type)?.remedy ??
  remedies.find(({ when }) => when(error))?.text(error) ??
  noRemedy;

const plainArgument = /^[\w@%+=:,./-]+$/;
const argument = (text: string): string => (plainArgument.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The command that goes on where a run failed; what it has completed is not done again. `file` as the person names it. */
export const rerunCommand = (run: string, { step }: RunError, file?: string): string =>
  `portolan rerun ${run}${step === undefined ? '' : ` --from ${step}`}${file === undefined ? '' : ` --file ${argument(file)}`}`;
