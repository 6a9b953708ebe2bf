import type { Mutant } from './mutant.ts';

const test = 'test/spec/identity.test.ts';

/** Who signs in, and how long. */
export const identity: readonly Mutant[] = [
  {
    file: 'service/core/identity/jwt.ts',
    find: ' || !timingSafeEqual(sent, right)',
    replace: '',
    rule: 'an access token that the service has not signed is refused',
    test,
  },
  {
    file: 'service/core/identity/jwt.ts',
    find: 'first !== header || ',
    replace: '',
    rule: 'a token that names another algorithm is refused',
    test: 'test/service/jwt.test.ts',
  },
  {
    file: 'service/core/identity/sessions.ts',
    find: 'if (claims.exp * 1_000 <= clock.now())',
    replace: 'if (claims.exp === 0)',
    rule: 'an access token ends at its exp',
    test,
  },
  {
    file: 'service/core/identity/sessions.ts',
    find: 'ended = 0 AND disabled_at IS NULL AND expires_at > ? AND',
    replace: 'ended = 0 AND disabled_at IS NULL AND ? IS NOT NULL AND',
    rule: 'a refresh token has an end',
    test,
  },
  {
    file: 'service/core/identity/sessions.ts',
    find: 'UPDATE sessions SET ended = 1 WHERE user_id = ? AND ended = 0',
    replace: 'UPDATE sessions SET ended = 0 WHERE user_id = ? AND ended = 0',
    rule: 'a user who was disabled is signed out',
    test,
  },
  {
    file: 'service/core/identity/codes.ts',
    find: 'DELETE FROM codes WHERE user_id = ?',
    replace: 'DELETE FROM codes WHERE hash = ?',
    rule: 'nobody signs in by a code from before the account was disabled',
    test,
  },
  {
    file: 'service/apis/instance/users.ts',
    find: 'WHERE user_id = ? AND revoked_at IS NULL RETURNING service',
    replace: "WHERE user_id = ? AND service = \\'instance\\' AND revoked_at IS NULL RETURNING service",
    rule: 'who is disabled loses the keys of every API for good',
    test,
  },
  {
    file: 'service/core/identity/sessions.ts',
    find: 'UPDATE sessions SET ended = 1 WHERE id = ? AND ended = 0',
    replace: 'UPDATE sessions SET ended = 0 WHERE id = ? AND ended = 0',
    rule: 'who logs out is signed out',
    test,
  },
  {
    file: 'service/core/identity/codes.ts',
    find: ' || row.expires_at <= clock.now()',
    replace: '',
    rule: 'an authorization code has an end',
    test,
  },
  {
    file: 'service/core/identity/codes.ts',
    find: 'challengeOf(verifier!) !== row.challenge',
    replace: 'challengeOf(verifier!) === undefined',
    rule: 'a code is spent by the verifier of its challenge alone',
    test,
  },
  {
    file: 'service/apis/maps/identity.ts',
    find: 'if (known !== undefined) end(known, requestId);',
    replace: '',
    rule: 'a code that is sent twice ends the session that was begun by it',
    test,
  },
  {
    file: 'service/core/identity/identity.ts',
    find: "URL.canParse(uri) && loopback.test(uri) && new URL(uri).username === ''",
    replace: 'URL.canParse(uri)',
    rule: 'a code is sent to a program of this machine alone',
    test,
  },
  {
    file: 'service/pages/sign-in-page.ts',
    find: "caller.role !== null || (caller.target.id !== null && caller.target.kind !== 'USER')",
    replace: "caller.role === ''",
    rule: 'nobody signs in with a key that may do less than its user',
    test,
  },
  {
    file: 'service/http/exchange.ts',
    find: 'path: call.endpoint.concealed ? call.address.path : undefined,',
    replace: 'path: undefined,',
    rule: 'a secret in a path stands in no log',
    test,
  },
];
