import { operations } from '../../contracts/index.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { operationsOf } from '../../pipelines/own/how-often.ts';
import { quoted } from '../../text/quoted.ts';

/** Where to look for what a call of effect `never` made that nobody knows the end of; nothing where it makes no secret. */
export const whereSecretsAre = (own: Pick<OwnStep, 'operations'>): string =>
  operationsOf(own).some((name) => 'secrets' in operations[name]) ? '; a secret that it made is in .portolan/secrets' : '';

/** Shorter values would be found everywhere. */
const shortest = 4;

const names = new Map<string, string>();

/** Values of secrets that own steps of this process have read: none of them goes into a message, a ledger or a history. */
export const secretsRead = {
  note(name: string, value: string): string {
    if (value.length >= shortest) names.set(value, name);
    return value;
  },
  /** The text with names in place of values. */
  scrub(text: string): string {
    // The longest first: one may begin another.
    return [...names]
      .sort(([one], [other]) => other.length - one.length)
      .reduce((clean, [value, name]) => clean.replace(quoted(value), () => `[secret ${name}]`), text);
  },
  /** Takes them out of an error: of its message and stack, and of the texts beside them, as of the address that its request had. */
  scrubFrom(error: Error): void {
    error.message = secretsRead.scrub(error.message);
    if (error.stack !== undefined) error.stack = secretsRead.scrub(error.stack);
    for (const [field, text] of Object.entries(error)) if (typeof text === 'string') Reflect.set(error, field, secretsRead.scrub(text));
  },
  /** Fails where a value that is kept holds a secret. `what`: its name in the message. */
  refuse(what: string, value: unknown): void {
    if (names.size > 0) secretsRead.refuseIn(what, JSON.stringify(value) ?? '');
  },
  /** The same of a value as JSON. */
  refuseIn(what: string, json: string): void {
    for (const [secret, name] of names)
      if (json.includes(JSON.stringify(secret).slice(1, -1)))
        throw new Error(
          `${what} holds the value of the secret '${name}', which would be kept in histories and files; give its name instead`,
        );
  },
};
