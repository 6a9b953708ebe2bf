import { NotFetched } from '../../errors/classes.ts';
import { createAsking } from '../ask.ts';
import type { LandingOptions } from '../landing.ts';
import { s3Refusal } from './refusal.ts';
import { signed } from './sign.ts';
import { urlOf, type Storage } from './storage.ts';

/**
 * Whether a storage is there and knows the keys of its secrets; of what they may read it says nothing. Fails with `NotFetched`, or with
 * `Interrupted` where it is not reached.
 */
export async function probeStorage(
  storage: Storage,
  { secret, allow, lookup }: Pick<LandingOptions, 'secret' | 'allow' | 'lookup'>,
  signal: AbortSignal,
): Promise<'knows the keys' | 'answers'> {
  // A list of buckets, which is that of the host: it stands in no name of one.
  const url = urlOf({ ...storage, pathStyle: true }, '');
  url.pathname = '/';
  const refusal = s3Refusal(storage);
  let denied = false;
  const asking = createAsking(
    { url, place: url.origin, headers: () => signed(url, storage, secret) },
    {
      allow: storage.endpoint === undefined ? allow : [...allow, url.host],
      lookup,
      pausesMs: [],
      signal,
      refusal(answer) {
        // Who is denied something was known before.
        denied = answer.body.includes('<Code>AccessDenied</Code>');
        return refusal(answer);
      },
    },
  );
  try {
    (await asking.ask({}))?.close();
  } catch (error) {
    if (!(error instanceof NotFetched) || !denied) throw error;
  }
  return storage.secrets ? 'knows the keys' : 'answers';
}
