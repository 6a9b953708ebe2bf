import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { HttpError } from '../core/errors.ts';
import { mayReturnTo, SIGN_IN_ROUTE, type Identity } from '../core/identity/identity.ts';
import { fromOtherSite } from '../core/loopback.ts';
import type { Caller } from '../core/records/keys.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { htmlAnswer } from './html.ts';

/** Bytes of a form: a key, and what a client asks. */
const mostBytes = 16_384;

type Asked = { redirect_uri: string; state: string; code_challenge: string };

/** What the page was opened with; a code goes to no other place than `GET /v1/user/authorize` would have it go. */
const askedBy = (fields: URLSearchParams): Asked => {
  const of = (name: string): string => fields.get(name) ?? '';
  const asked = { redirect_uri: of('redirect_uri'), state: of('state'), code_challenge: of('code_challenge') };
  if (asked.redirect_uri !== '' && !mayReturnTo(asked.redirect_uri))
    throw new HttpError(422, 'redirect_uri: not an address of this machine');
  return asked;
};

const page = (asked: Asked, problem = '', status = 200): Response =>
  htmlAnswer({
    title: 'Sign in · local service',
    status,
    // The answer to the form leads on to the client.
    formTo: asked.redirect_uri === '' ? "'self'" : `'self' ${new URL(asked.redirect_uri).origin}`,
    body: `<main class="plain"><h1>Sign in</h1>
<p>${asked.redirect_uri === '' ? 'A client asks' : `A client at ${e(new URL(asked.redirect_uri).host)} asks`} to act as you in the local service. Say who you are by an API key of yours that is limited to nothing: the first user's is in the file maps-admin-key of the data folder.</p>
${problem === '' ? '' : `<p role="alert">${e(problem)}</p>`}
<form method="post" action="${SIGN_IN_ROUTE}">
${Object.entries(asked)
  .filter(([, value]) => value !== '')
  .map(([name, value]) => `<input type="hidden" name="${name}" value="${e(value)}">`)
  .join('\n')}
<label>API key <input name="key" type="password" autocomplete="off" required autofocus></label>
<button>Sign in</button></form></main>`,
  });

const done = (code: string): Response =>
  htmlAnswer({
    title: 'Signed in · local service',
    body: `<main class="plain"><h1>Signed in</h1><p>The authorization code, for one use within ten minutes:</p><p><code id="code">${e(code)}</code></p></main>`,
  });

/** The page of the local identity provider: GET asks for a key, POST answers with a code, to the client's own address where it has one. */
export const addSignIn = (
  app: Hono<{ Bindings: Partial<HttpBindings> }>,
  { codes }: Identity,
  callerOf: (key: string) => Caller | undefined,
): void => {
  const answered = async (answer: () => Response | Promise<Response>): Promise<Response> => {
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return htmlAnswer({
        title: String(error.status),
        status: error.status,
        body: `<main class="plain"><h1>${error.status}</h1><p>${e(error.message)}</p></main>`,
      });
    }
  };
  app.get(SIGN_IN_ROUTE, ({ req }) => answered(() => page(askedBy(new URL(req.url).searchParams))));
  app.post(SIGN_IN_ROUTE, ({ req }) =>
    answered(async () => {
      if (fromOtherSite(req.raw.headers)) throw new HttpError(403, 'the form of another origin signs nobody in');
      if (!(Number(req.header('content-length')) <= mostBytes)) throw new HttpError(413, 'not the form of this page');
      const fields = new URLSearchParams(await req.text());
      const asked = askedBy(fields);
      const caller = callerOf(fields.get('key')?.trim() ?? '');
      if (!caller) return page(asked, 'No such key.', 401);
      // A session may do all that its user may: a key that may do less must not become one.
      if (caller.role !== null || (caller.target.id !== null && caller.target.kind !== 'USER'))
        return page(asked, 'This key is limited to a role, an organization or a dataset: take one of the user.', 403);
      const code = codes.issue(caller.userId, asked.code_challenge || null);
      if (asked.redirect_uri === '') return done(code);
      const to = new URL(asked.redirect_uri);
      to.searchParams.set('code', code);
      if (asked.state !== '') to.searchParams.set('state', asked.state);
      return new Response(null, {
        status: 303,
        headers: { location: to.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      });
    }),
  );
};
