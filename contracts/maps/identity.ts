import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { acknowledged } from './common.ts';
import { get as user } from './user.ts';

/**
 * Where a user is sent to sign in. The text shows neither parameters nor answer: those of OAuth 2.0 with PKCE (RFC 7636), and the
 * address in the answer's body, which a browser follows by itself (assumption).
 */
export const authorize = defineEndpoint({
  method: 'GET',
  path: '/v1/user/authorize',
  summary: "The identity provider's address at which a user signs in and gets an authorization code.",
  effect: 'safe',
  auth: false,
  limit: 'maps/read',
  status: 200,
  query: { redirect_uri: 'text', state: 'text', code_challenge: 'text', code_challenge_method: 'text' },
  input: z.object({
    redirect_uri: z.string().nullish(),
    state: z.string().nullish(),
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/, 'the base64url of a SHA-256: 43 characters')
      .nullish(),
    code_challenge_method: z.enum(['S256']).nullish(),
  }),
  output: z.looseObject({ authorization_url: z.string() }),
});

/** Access tokens are JWTs with `exp`; `expires_in` in seconds. */
const access = z.looseObject({ access_token: z.string().min(1), token_type: z.string().nullish(), expires_in: z.number().nullish() });

/**
 * A code is spent by its first use, and the tokens are in that answer alone: where it was lost, a user signs in anew. "Fields of the
 * token request body: not shown": `code` is known of public clients, `code_verifier` belongs to a code that was asked for with a challenge.
 */
export const token = defineEndpoint({
  method: 'POST',
  path: '/v1/user/token',
  summary: 'Exchange an authorization code for an access token and a refresh token.',
  effect: 'never',
  auth: false,
  limit: 'maps/write',
  status: 200,
  secrets: ['access_token', 'refresh_token'],
  refuses: { 400: 'the code is unknown, was used or has expired' },
  input: z.strictObject({
    code: z.string().min(1),
    code_verifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/, '43 to 128 letters, digits and signs of - . _ ~')
      .nullish(),
  }),
  output: access.extend({ refresh_token: z.string().min(1) }),
});

/** The refresh token stays as it is: public clients keep it and exchange it at each start. */
export const refresh = defineEndpoint({
  method: 'GET',
  path: '/v1/user/token/refresh/{refresh_token}',
  summary: 'Exchange a refresh token for an access token.',
  effect: 'safe',
  auth: false,
  limit: 'maps/read',
  status: 200,
  concealed: ['refresh_token'],
  secrets: ['access_token'],
  refuses: { 401: 'the refresh token is unknown, has expired or was logged out' },
  input: z.strictObject({ refresh_token: z.string().min(1) }),
  output: access,
});

const isRefused = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 401;

/** Ends the session of an access token, with its refresh token; an API key has none, and stays as it is (assumption). */
export const logout = defineEndpoint({
  method: 'GET',
  path: '/v1/user/logout',
  summary: 'End the session whose access token this is.',
  effect: 'reconcile',
  lookup: {
    // Who is signed out is refused.
    find: async (_, __, ask) =>
      ask(user, {}).then(
        () => 'absent' as const,
        (error: unknown) => {
          if (isRefused(error)) return { answer: { result: 'ok' } };
          throw error;
        },
      ),
  },
  limit: 'maps/write',
  status: 200,
  input: z.object({}),
  output: acknowledged,
});
