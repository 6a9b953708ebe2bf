import type { Endpoint } from '../../contracts/endpoint.ts';
import { operations, serviceNames, services, type Service } from '../../contracts/index.ts';
import { limits, type Limit } from '../../contracts/limits.ts';
import { notesOf } from '../../contracts/notes.ts';
import { code, generated, table } from './markdown.ts';

const effects = [
  ['safe', 'a read: sent again'],
  ['idempotent', 'repeatable by value: sent again'],
  ['reconcile', 'the effect is looked up before anything is sent again'],
  ['never', 'nothing can be looked up: a person decides'],
] as const;

const operationsOf = (service: Service): string =>
  [
    `\n## ${services[service].title}\n\nIts keys begin with ${code(services[service].keyPrefix)}.\n\n`,
    table(
      ['operation', 'request', 'does', 'effect', 'limit', 'notes'],
      Object.entries<Endpoint>(operations)
        .filter(([name]) => name.startsWith(`${service}.`))
        .map(([name, endpoint]) => [
          code(name),
          code(`${endpoint.method} ${endpoint.path}`),
          endpoint.summary,
          endpoint.effect,
          code(endpoint.limit),
          notesOf(endpoint).join('; '),
        ]),
    ),
  ].join('');

/** docs/operations.md: every operation of every API, and the limits they count against. */
export const operationsPage = (): string =>
  [
    generated('contracts/'),
    '# Operations\n\nEvery operation that `portolan call` and the step `api.call` reach, by full name; own steps call those that they list.\n',
    ...serviceNames.map(operationsOf),
    '\n## What the columns say\n\n**Effect**: what is done when an answer is lost.\n\n',
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
    '\n**Secret in the answer**: the value goes to a file of its own in `.portolan/secrets`, readable to its owner only, and the result holds `secret:NAME` in its place; `portolan call --reveal` prints it. **Pages**: `portolan call --all`, and `pages()` in own steps, go on to the end. A refusal that **means done** is success; one that means later is tried again.\n',
  ].join('');
