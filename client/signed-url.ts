import { ApiError, ContractError, UrlsExpired } from './errors.ts';
import type { Attempted } from './attempt.ts';
import { isNearer } from './host-reach.ts';
import { onThisMachine } from '../text/this-machine.ts';
import { saidBy } from './refusal.ts';

/** Which operation gave a signed URL, what the URL is, in words (`a part URL`), and what goes there (`parts`). */
export type Given = { by: string; what: string; goes: string };

/** Fails where a signed URL leads where nothing of a user's goes: in the clear to another machine, or nearer than the service that gave it. */
export function checkSignedUrl(url: string, { by, what, goes }: Given, serviceUrl: string | undefined): void {
  const { protocol, hostname } = new URL(url);
  // As for connections: rows leave this machine over https alone.
  if (protocol !== 'https:' && !(protocol === 'http:' && onThisMachine.test(hostname)))
    throw new ContractError(by, 'answer', `${what} begins with ${protocol}//${hostname}, and ${goes} go over https`);
  // Where the service is elsewhere, so is what it signs: nothing on this machine or in its network is reached at its word.
  if (serviceUrl !== undefined && isNearer(hostname, new URL(serviceUrl).hostname))
    throw new ContractError(
      by,
      'answer',
      `${what} leads to ${hostname}, on this machine or in its network, where the service at ${new URL(serviceUrl).hostname} is not`,
    );
}

/** What an object store says with 400 of a body that came too slowly or in part: sent again, it may come whole. */
const cutShort = /<Code>(?:RequestTimeout|IncompleteBody)</;

/** The answer of a signed URL. Throws `UrlsExpired` for a refusal that says so, and `ApiError` for any other. */
export function answered(attempted: Attempted, operation: string, url: string) {
  const { requestId } = attempted;
  if (!('refused' in attempted)) return attempted.answer;
  const { refused } = attempted;
  if ([400, 401, 403, 410].includes(refused.status) && /expire/i.test(refused.body))
    throw new UrlsExpired({ operation, requestId, detail: refused.body });
  const retryable = refused.retryable || (refused.status === 400 && cutShort.test(refused.body));
  throw new ApiError({ operation, requestId, ...refused, retryable, ...saidBy(refused, url) });
}
