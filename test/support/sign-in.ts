import { createHash, randomBytes } from 'node:crypto';

/** What a client keeps, and what it shows of it (RFC 7636). */
export const pkce = (): { verifier: string; challenge: string } => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** Sends the form of the sign-in page as a browser would: what the page holds, and the key. */
export async function sendForm(authorizationUrl: string, key: string): Promise<Response> {
  const page = await (await fetch(authorizationUrl)).text();
  const form = new URLSearchParams({ key });
  for (const [, name, value] of page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g))
    form.set(name!, value!.replaceAll('&amp;', '&'));
  const action = /action="([^"]+)"/.exec(page)![1]!;
  return fetch(new URL(action, authorizationUrl), { method: 'POST', body: form, redirect: 'manual' });
}

/** The authorization code that a user gets who signs in with a key: of the address that leads back, or of the page. */
export async function signIn(authorizationUrl: string, key: string): Promise<string> {
  const answer = await sendForm(authorizationUrl, key);
  const back = answer.headers.get('location');
  const code = back === null ? /id="code">([^<]+)</.exec(await answer.text())?.[1] : new URL(back).searchParams.get('code');
  if (!code) throw new Error(`no code: ${answer.status}`);
  return code;
}
