import { operations } from '../../contracts/index.ts';
import { limits, type Limit } from '../../contracts/limits.ts';
import { code, generated, table } from './markdown.ts';

const effects = [
  ['safe', 'a read: sent again'],
  ['idempotent', 'repeatable by value: sent again'],
  ['reconcile', 'the effect is looked up before anything is sent again'],
  ['never', 'nothing can be looked up: a person decides'],
] as const;

/** docs/operations.md: every operation of both APIs, and the limits they count against. */
export const operationsPage = (): string =>
  [
    generated('contracts/'),
    '# Operations\n\nEvery operation that `portolan call` and the step `api.call` reach, by full name.\n\n',
    table(
      ['operation', 'request', 'does', 'effect', 'limit', 'irreversible'],
      Object.entries(operations).map(([name, { method, path, summary, effect, limit, irreversible }]) => [
        code(name),
        code(`${method} ${path}`),
        summary,
        effect,
        code(limit),
        irreversible ? 'yes' : '',
      ]),
    ),
    '\n**Effect**: what is done when an answer is lost.\n\n',
    table(['effect', 'after a lost answer'], effects),
    '\n**Limit**: operations that a service counts together.\n\n',
    table(
      ['limit', 'requests', 'counted by', 'source'],
      Object.entries<Limit>(limits).map(([name, { count, seconds, subject, source }]) => [
        code(name),
        count === null ? 'not published; a 429 closes it' : `${count} in ${seconds} s`,
        subject,
        source,
      ]),
    ),
  ].join('');
