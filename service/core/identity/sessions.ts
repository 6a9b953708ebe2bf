import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { challenge, HttpError } from '../errors.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { Records } from '../records/database.ts';
import type { Caller } from '../records/keys.ts';
import { ifMember } from '../records/organizations.ts';
import { readJwt, writeJwt } from './jwt.ts';

/** Lifetimes in seconds (assumption: the text states none). */
export const accessSeconds = 3_600;
export const refreshSeconds = 30 * 86_400;

export type Access = { access_token: string; token_type: 'Bearer'; expires_in: number };

export type Sessions = {
  /** Begins one, within a transaction; the tokens are readable here and nowhere else. */
  begin(userId: string): { id: string; tokens: Access & { refresh_token: string } };
  /** Another access token of the session of a refresh token; 401 where it holds no more. */
  refresh(refreshToken: string): Access;
  /** Whose access token this is; undefined for a text that is none, 401 for one that holds no more. */
  callerOf(token: string): Caller | undefined;
  /** Ends a session; 0 where there is none that is open. */
  end(id: string): number;
  /** Ends all sessions of a user; how many were not ended. */
  endAll(userId: string): number;
  /** How many sessions of a user are open. */
  count(userId: string): number;
};

type Row = { id: string; user_id: string; expires_at: number };

/** Who has signed in, from which an access token is refused or not: its own end, and that of its session. Ends are on the clock that can be moved. */
export const createSessions = (records: Records, clock: Clock, secret: Buffer): Sessions => {
  const open =
    'SELECT sessions.* FROM sessions JOIN users ON users.id = user_id WHERE ended = 0 AND disabled_at IS NULL AND expires_at > ? AND';
  const over = (what: string, remedy: string): HttpError =>
    new HttpError(401, `${what}: ${remedy}`, { 'www-authenticate': `${challenge['www-authenticate']} error="invalid_token"` });
  const signIn = 'sign in anew by GET /v1/user/authorize';
  const accessOf = ({ id, user_id, expires_at }: Row): Access => {
    const at = Math.floor(clock.now() / 1_000);
    // No token outlives its session.
    const exp = Math.min(at + accessSeconds, Math.floor(expires_at / 1_000));
    return {
      access_token: writeJwt(secret, { sub: user_id, sid: id, iat: at, exp }),
      token_type: 'Bearer',
      expires_in: exp - at,
    };
  };
  return {
    begin(userId) {
      const refreshToken = `rt-${randomBytes(32).toString('base64url')}`;
      const at = clock.now();
      const row = { id: randomUUID(), user_id: userId, expires_at: at + refreshSeconds * 1_000 };
      records.run(
        'INSERT INTO sessions (id, refresh_hash, user_id, began_at, expires_at) VALUES (?, ?, ?, ?, ?)',
        row.id,
        sha256(refreshToken),
        userId,
        Math.floor(at),
        Math.floor(row.expires_at),
      );
      return { id: row.id, tokens: { ...accessOf(row), refresh_token: refreshToken } };
    },
    refresh(refreshToken) {
      const session = records.get<Row>(`${open} refresh_hash = ?`, Math.floor(clock.now()), sha256(refreshToken));
      if (!session) throw over('the refresh token is unknown, has expired or was logged out', signIn);
      return accessOf(session);
    },
    callerOf(token) {
      const claims = readJwt(secret, token);
      if (!claims) return undefined;
      if (claims.exp * 1_000 <= clock.now())
        throw over('the access token has expired', 'GET /v1/user/token/refresh/{refresh_token} gives another');
      const session = records.get<Row & { default_organization: string | null }>(
        `${open.replace('sessions.*', 'sessions.*, default_organization')} sessions.id = ?`,
        Math.floor(clock.now()),
        claims.sid,
      );
      if (!session) throw over('the session of this access token has ended', signIn);
      return {
        userId: session.user_id,
        keyId: session.id,
        organizationId: ifMember(records, session.user_id, session.default_organization),
        scopes: [],
        role: null,
        target: { kind: 'USER', id: null },
        session: session.id,
      };
    },
    end: (id) => records.run('UPDATE sessions SET ended = 1 WHERE id = ? AND ended = 0', id),
    count: (userId) => records.all(`${open} user_id = ?`, Math.floor(clock.now()), userId).length,
    endAll: (userId) => records.run('UPDATE sessions SET ended = 1 WHERE user_id = ? AND ended = 0', userId),
  };
};
