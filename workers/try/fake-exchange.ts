import type { Exchange, Outgoing } from '../../client/exchange.ts';
import type { FakeAnswer, OwnCode } from '../../pipelines/own/define.ts';

/** Where operations are sent to when no service is there: what is asked of it is named by its path alone. */
export const nowhere = 'http://nowhere.invalid';

/** How a request is named in `fake`: without its query. */
export function requestName({ method, url }: Pick<Outgoing, 'method' | 'url'>): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin === nowhere ? '' : origin}${pathname}`;
}

/** Answers requests from the `fake` of a step; one that is not there is a 501, and known to `missing`. */
export function createFakeExchange(fake: NonNullable<OwnCode['fake']>, missing: Set<string>): Exchange {
  const given = new Map<string, number>();
  const answerTo = (name: string): FakeAnswer | undefined => {
    const key = Object.hasOwn(fake, name) ? name : Object.keys(fake).find((each) => matches(each, name));
    if (key === undefined) return undefined;
    const answers = [fake[key]!].flat() as readonly FakeAnswer[];
    const at = given.get(key) ?? 0;
    given.set(key, at + 1);
    return answers[Math.min(at, answers.length - 1)];
  };
  return async (outgoing) => {
    await drained(outgoing.body);
    const name = requestName(outgoing);
    const answer = answerTo(name);
    if (!answer) missing.add(name);
    const { status = 200, headers = {}, body } = answer ?? { status: 501, body: `fake has no answer to ${name}` };
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const kind = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
    return { status, statusText: '', headers: { ...kind, ...lowerCase(headers) }, body: bytesOf(text) };
  };
}

const matches = (key: string, name: string): boolean => key.endsWith('*') && name.startsWith(key.slice(0, -1));

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield new TextEncoder().encode(text);
}

async function drained(body: Outgoing['body']): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return;
  for await (const _ of body);
}
