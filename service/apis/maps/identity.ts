import type { maps } from '../../../contracts/maps/index.ts';
import { mayReturnTo, SIGN_IN_ROUTE } from '../../core/identity/identity.ts';
import { invalidParameter } from '../../core/errors.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

/** The part of OAuth 2.0 that clients see; users sign in at the page of `service/pages/sign-in-page.ts`. */
export const createIdentity = ({ records, identity }: Pick<MapsState, 'records' | 'identity'>): Handlers<typeof maps>['identity'] => {
  const { codes, sessions } = identity;
  const end = (session: string, requestId: string): number =>
    records.effect({ requestId, operation: 'maps.identity.logout', subject: `session/${session}`, content: {} }, () => ({
      changed: sessions.end(session),
      value: 1,
    }));
  return {
    authorize({ redirect_uri, state, code_challenge, code_challenge_method }, { origin, headers }) {
      if (redirect_uri && !mayReturnTo(redirect_uri))
        throw invalidParameter(
          'redirect_uri',
          'is an http address of this machine, such as http://127.0.0.1:8123/callback; without it the page shows the code',
        );
      if (code_challenge_method && !code_challenge) throw invalidParameter('code_challenge', 'required where its method is named');
      const url = new URL(SIGN_IN_ROUTE, origin);
      for (const [name, value] of Object.entries({ redirect_uri, state, code_challenge })) if (value) url.searchParams.set(name, value);
      // The text has a redirect with status 200: a browser follows this header, and a program reads the body.
      headers.set('refresh', `0; url=${url.href}`);
      return { authorization_url: url.href };
    },
    token({ code, code_verifier }, { requestId }) {
      const known = codes.sessionOf(code);
      // Who has a code that was spent may be a thief, and so may who spent it (RFC 6749, 4.1.2).
      if (known !== undefined) end(known, requestId);
      return records.effect({ requestId, operation: 'maps.identity.token', subject: `code/${sha256(code)}`, content: {} }, () => ({
        changed: 1,
        value: codes.spend(code, code_verifier, (userId) => sessions.begin(userId)).tokens,
      }));
    },
    refresh: ({ refresh_token }) => sessions.refresh(refresh_token),
    logout(_, { session, requestId }) {
      if (session !== undefined) end(session, requestId);
      return { result: 'ok' };
    },
  };
};
