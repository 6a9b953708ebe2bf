import { exit } from '../../cli/frame/exit.ts';
import { meanings, statusRemedies } from '../../errors/meanings.ts';
import { classesOf } from '../../pipelines/error-classes.ts';
import { findingCodes } from '../../pipelines/file/finding-codes.ts';
import { failures } from '../../errors/remedies.ts';
import { code, generated, table } from './markdown.ts';

const exits: Record<keyof typeof exit, string> = {
  done: 'done',
  failed: 'failed: the run, or what the command was to do',
  usage: 'a wrong command line, an invalid file or configuration: nothing was sent',
  approval: 'the run waits for an approval, and nobody is at a terminal; or it failed for want of one (`NeedsApproval`)',
  inconclusive: 'all was sent, and what the service holds cannot be shown to be right',
  interrupted: 'ended by Ctrl-C; a run that was started goes on',
};

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** `onError` has no say about what is waited for. */
const noFailure = 'no failure';

/** Names by which `onError` may know a failure. */
function classes(type: string, status?: number): string {
  const names = classesOf({ type, ...(status === undefined ? {} : { details: { status } }) });
  return names === undefined ? 'none: the run fails' : [...names, 'else'].map(code).join(', ');
}

/** docs/errors.md: every exit code, every code of a finding, and every type of failure, with what to do. */
export const errorsPage = (): string =>
  [
    generated('pipelines/file/finding-codes.ts, errors/meanings.ts and errors/remedies.ts'),
    '# Errors\n\nA message names the field, the rule and the remedy. This page lists the codes behind them; the remedy of the message itself, where it has one, is the better one.\n\n## Exit codes\n\n',
    table(
      ['code', 'means'],
      Object.entries(exit).map(([name, number]) => [`${number}`, exits[name as keyof typeof exit]]),
    ),
    '\n## Findings in a pipeline file\n\nWhat `validate`, `plan` and `run` find before anything is sent, as `file:line:column  code  message`. Exit code 2.\n\n',
    table(
      ['code', 'means', 'what to do'],
      Object.entries(findingCodes).map(([name, { means, remedy }]) => [code(name), means, remedy]),
    ),
    '\n## Failures of a run\n\nWhat `why`, `status` and the report name as the type of an error. One that **waits** is no failure: the step is begun again when what it needs is back, and `status` says what that is. [`onError`](steps.md#a-reaction) knows a failure by the names of the last column; the first of them that the file has counts.\n\n',
    table(
      ['type', 'means', 'becomes', 'what to do', 'onError'],
      [
        ...Object.entries(meanings).map(([type, { means, becomes, remedy }]) => [
          code(type),
          means,
          becomes === 'waits' ? '**waits**' : 'ends',
          sentence(remedy),
          becomes === 'waits' ? noFailure : classes(type),
        ]),
        ...Object.entries(failures).map(([type, { means, remedy }]) => [code(type), means, 'ends', sentence(remedy), classes(type)]),
        ['`ApiError`', 'The service refused the call, or failed.', 'ends', 'By its status, below.', 'by its status'],
        ['`RateLimited`', 'A limit of the service is closed.', '**waits**', 'Nothing: no attempt is used.', noFailure],
        [
          'any other',
          'An error of the code of an own step, by its own name.',
          'ends',
          'Correct the code at the file and line named.',
          classes(''),
        ],
      ],
    ),
    '\n## Statuses of a service\n\n',
    table(
      ['status', 'what to do', 'onError'],
      [
        ...statusRemedies.map(({ from, to, remedy }) => [
          from === to ? `${from}` : `${from}–${to}`,
          sentence(remedy),
          classes('ApiError', from),
        ]),
        [
          '429, and any refusal with Retry-After',
          'Nothing: the limit is closed for every worker and command until then, and the call is sent again.',
          noFailure,
        ],
        [
          'other 4xx',
          'See the message: the service’s own words stand in it, and the request id finds them in its log.',
          classes('ApiError', 400),
        ],
      ],
    ),
  ].join('');
