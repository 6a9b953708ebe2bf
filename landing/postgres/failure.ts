import { NotFetched } from '../../errors/classes.ts';
import { isBadCertificate } from '../certificate.ts';
import type { Database } from './database.ts';

/** What a server reports; `position` counts characters of the statement from 1. */
type Reported = { code?: unknown; message?: string; position?: unknown; severity?: unknown };

/** Classes and codes (SQLSTATE) of what may be otherwise a moment later. */
const passing = /^(?:08|53|57P0|58|40|XX|55P03)/;

/** True where a server, and not the way to it, says what is wrong, and says so for good. */
export const isFinal = (error: unknown): boolean => {
  const { code, severity } = error as Reported;
  return typeof code === 'string' && severity !== undefined && !passing.test(code);
};

/** Where in a query a position is: its line and column. */
export function placeIn(query: string, position: number): string {
  const before = [...query].slice(0, Math.max(0, position - 1)).join('');
  const lines = before.split('\n');
  return `line ${lines.length}, column ${[...lines.at(-1)!].length + 1}`;
}

/** What the refusal of a server means: no later try would change it. `sent`: the statement, and how much of it stands before the query. */
export function refusalOf(error: unknown, database: Database, sent?: { query: string; before: number }): NotFetched {
  const { code, message = '', position } = error as Reported;
  const { name, user, secret, timeout } = database;
  const at = position === undefined || !sent ? '' : ` (${placeIn(sent.query, Number(position) - sent.before)} of the query)`;
  const says = `postgres:${name}: ${message}${at}`;
  const remedies: readonly [codes: RegExp, remedy: string][] = [
    [/^28/, secret === undefined ? 'name the password of its user: secret: NAME' : `correct the secret '${secret}', or the user '${user}'`],
    [/^3D/, `correct sources.postgres.${name}.database in portolan.config.mts`],
    [/^42501/, `grant it to the user '${user}': grant select on … to ${user}`],
    [/^57014/, `where it may take longer than ${timeout}: sources: { postgres: { ${name}: { timeout: '1h' } } }`],
    [/^(?:25006|0A000|42601)/, 'write one SELECT: a source reads, and changes nothing'],
  ];
  return new NotFetched(says, remedies.find(([codes]) => codes.test(String(code)))?.[1] ?? 'correct the query');
}

/** Why a connection cannot be encrypted as it is meant to be; undefined where something else failed. */
export function tlsRefusal(error: unknown, { name }: Database): NotFetched | undefined {
  const { code, message = '' } = error as Reported;
  const says = `postgres:${name}: ${message}`;
  if (message.includes('does not support SSL'))
    return new NotFetched(
      says,
      `have it encrypt, or say that everyone on the way may read: sources: { postgres: { ${name}: { tls: 'none' } } }`,
    );
  if (!isBadCertificate(code)) return undefined;
  return new NotFetched(says, `name the file of the certificates that sign it: sources: { postgres: { ${name}: { ca: 'certs/db.pem' } } }`);
}
