import { readStart } from '../../client/answer-body.ts';
import { exchange } from '../../client/exchange.ts';
import { networkCode, unsent } from '../../client/network-code.ts';
import { parseRetryAfter } from '../../client/retry-after.ts';
import type { Channel } from './channel.ts';
import { signatureOf } from './signature.ts';

/** Time that a receiver has to answer. */
const longestMs = 15_000;

/** What is read of an answer, so that its connection is used again. */
const answerBytes = 64 * 1024;

/**
 * Posts a document as JSON, signed. Nothing but a 2xx is an acknowledgement: a redirect is not followed, so that what is sent
 * goes to no other host than the configured one. `secret` is read anew for each attempt.
 */
export const webhook = (name: string, { url, secret }: { url: string; secret: () => string }): Channel => ({
  name,
  kind: 'webhook',
  repeats: true,
  async send(document, signal) {
    const body = JSON.stringify(document);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'portolan',
      'idempotency-key': document.id,
      'portolan-signature': signatureOf(body, secret(), Math.floor(Date.now() / 1_000)),
    };
    const late = AbortSignal.timeout(longestMs);
    try {
      const answer = await exchange({ method: 'POST', url, headers, body, signal: AbortSignal.any([signal, late]) });
      await readStart(answer.body, answerBytes).catch(() => undefined);
      const { status } = answer;
      if (status >= 200 && status < 300) return { is: 'sent', note: `answered ${status}` };
      const afterMs = parseRetryAfter(answer.headers['retry-after'], { date: answer.headers.date ?? null, now: Date.now() });
      const note = status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`;
      return { is: 'again', note, afterMs: afterMs ?? 0 };
    } catch (error) {
      signal.throwIfAborted();
      const code = late.aborted ? 'no answer in 15 s' : networkCode(error);
      return unsent.has(code) ? { is: 'again', note: code, afterMs: 0 } : { is: 'unknown', note: code };
    }
  },
});
