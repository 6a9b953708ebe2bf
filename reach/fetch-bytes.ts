import { NotFetched } from '../errors/classes.ts';
import { get, named, type Door } from './request.ts';

export type FetchBytesOptions = Door & { mostBytes: number; signal: AbortSignal };

const refused = (place: string, why: string, remedy: string): NotFetched => new NotFetched(`${place}: ${why}`, remedy);

/** The address of a file as a URL that can be asked for. */
function webAddress(address: string): URL {
  if (!URL.canParse(address)) throw refused(JSON.stringify(address), 'is no URL', 'name an http(s) address');
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw refused(`${url.protocol}//…`, 'is no http(s) address without a user', 'name an http(s) address of the file itself');
  return url;
}

/**
 * The bytes that are at an address, in memory and by one attempt, behind the redirects that it meets: each hop is checked. Fails with
 * `NotFetched` whatever keeps them away: an address that may not be reached, a status, a connection that fails, more than `mostBytes`.
 */
export async function fetchBytes(address: string, { mostBytes, signal, ...door }: FetchBytesOptions): Promise<Uint8Array> {
  const url = webAddress(address);
  const place = named(url);
  try {
    const answer = await get({ url, place, headers: async () => ({}) }, {}, door, signal);
    if (answer.status !== 200) {
      answer.close();
      throw refused(place, `its server answers ${answer.status}`, 'name an address that gives the file to everybody');
    }
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of answer.body) {
      bytes += piece.byteLength;
      pieces.push(piece);
      if (bytes <= mostBytes) continue;
      answer.close();
      throw refused(place, `is larger than ${mostBytes} bytes`, 'send a smaller file');
    }
    return Buffer.concat(pieces, bytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotFetched) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw refused(place, `the connection failed (${code ?? message})`, 'see whether its server can be reached from here');
  }
}
