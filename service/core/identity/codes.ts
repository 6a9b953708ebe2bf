import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { HttpError, invalid } from '../errors.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { Records } from '../records/database.ts';

/** How long a code holds, in seconds (RFC 6749 recommends ten minutes at most). */
export const codeSeconds = 600;

export type Codes = {
  /** A code for a user; `challenge`: what only the holder of its verifier may spend it by (RFC 7636, S256). */
  issue(userId: string, challenge: string | null): string;
  /** Whose code this is, spent for the session that `begin` makes; 400 where it is not to be spent, 422 for a wrong verifier. */
  spend<T extends { id: string }>(code: string, verifier: string | null | undefined, begin: (userId: string) => T): T;
  /** The session that was begun by a code which is sent once more: somebody else has it too. */
  sessionOf(code: string): string | undefined;
  /** Drops the codes of a user: nothing is begun by them any more. */
  forget(userId: string): void;
};

type Row = { user_id: string; challenge: string | null; expires_at: number; session_id: string | null };

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Authorization codes, kept as hashes and spent once. */
export const createCodes = (records: Records, clock: Clock): Codes => {
  const rowOf = (code: string): Row | undefined => records.get<Row>('SELECT * FROM codes WHERE hash = ?', sha256(code));
  return {
    issue(userId, challenge) {
      const at = Math.floor(clock.now());
      records.run('DELETE FROM codes WHERE expires_at <= ?', at);
      const code = randomBytes(32).toString('base64url');
      records.run(
        'INSERT INTO codes (hash, user_id, challenge, expires_at) VALUES (?, ?, ?, ?)',
        sha256(code),
        userId,
        challenge,
        at + codeSeconds * 1_000,
      );
      return code;
    },
    spend(code, verifier, begin) {
      const row = rowOf(code);
      if (!row || row.session_id !== null || row.expires_at <= clock.now())
        throw new HttpError(400, 'the code is unknown, was used or has expired: sign in anew by GET /v1/user/authorize');
      if (row.challenge !== null && !verifier) throw invalid('code_verifier', 'required: the code was asked for with a code_challenge');
      if (row.challenge !== null && challengeOf(verifier!) !== row.challenge)
        throw invalid('code_verifier', 'is not that of the code_challenge with which the code was asked for');
      const session = begin(row.user_id);
      records.run('UPDATE codes SET session_id = ? WHERE hash = ?', session.id, sha256(code));
      return session;
    },
    sessionOf: (code) => rowOf(code)?.session_id ?? undefined,
    forget: (userId) => void records.run('DELETE FROM codes WHERE user_id = ?', userId),
  };
};
