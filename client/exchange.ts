import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type BrotliDecompress, type Gunzip, type Inflate } from 'node:zlib';

export type Outgoing = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A stream: a chunk has left this process before the next one is asked for, so its buffer may be used again. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
  /**
   * On a connection of its own. One that is kept may be closed by the service, for having been idle, just as the request is sent: no
   * answer comes then, and nobody knows whether the service has it.
   */
  alone?: boolean;
  /** Nothing moves for so long: the connection is given up. Default: as long as the signal lets it. */
  stalledMs?: number;
};

/** An answer as far as its headers; the body comes while it is read, decompressed. Redirects are answers like any other. */
export type Incoming = { status: number; statusText: string; headers: IncomingHttpHeaders; body: AsyncIterable<Uint8Array> };

// Node's own client and not fetch, which gives every answer up after 300 s of silence whatever a call allows, and copies a
// streamed body without back-pressure.
const protocols: Readonly<Record<string, { request: typeof httpRequest; agent: HttpAgent }>> = {
  'http:': { request: httpRequest, agent: new HttpAgent({ keepAlive: true }) },
  'https:': { request: httpsRequest, agent: new HttpsAgent({ keepAlive: true }) },
};

/** The body could not be read where it comes from: no fault of the network. The cause is what its source threw. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  constructor(cause: unknown) {
    super('the body of the request could not be read', { cause });
  }
}

/** A service that does not even take a connection in this time was not reached. */
const connectMs = 10_000;

type Unpacking = Gunzip | Inflate | BrotliDecompress;

const codings: Readonly<Record<string, () => Unpacking>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends one request; replaced where what is sent is looked at, or answered without a network. */
export type Exchange = (outgoing: Outgoing) => Promise<Incoming>;

/** Sends one request. Rejects with `SourceFailed`, or the error of the system, whose `code` says what happened; the body may throw one too. */
export async function exchange({ method, url, headers, body, signal, alone = false, stalledMs }: Outgoing): Promise<Incoming> {
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>();
  const { request, agent } = protocols[new URL(url).protocol]!;
  const sized = body === undefined || isStream(body) ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request(url, {
    method,
    agent: alone ? false : agent,
    headers: { 'accept-encoding': 'gzip, br', ...sized, ...headers },
    ...(signal ? { signal } : {}),
  });
  const giveUp = (code: string): void => void outgoing.destroy(Object.assign(new Error(code), { code }));
  if (stalledMs !== undefined) outgoing.setTimeout(stalledMs, () => giveUp('timeout'));
  // From here on it may have gone over a connection.
  let open = false;
  outgoing.on('socket', (socket) => {
    if (!socket.connecting) return void (open = true);
    // A request is written behind the handshake: a certificate that is refused has let nothing out.
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (open = true));
    const timer = setTimeout(() => giveUp('ECONNTIMEOUT'), connectMs);
    const done = (): void => clearTimeout(timer);
    socket.once('connect', done).once('close', done);
  });
  outgoing.on('error', (error) => reject(open ? error : Object.assign(error, { unsent: true })));
  let answered = false;
  outgoing.on('response', (incoming) => {
    answered = true;
    const { statusCode, statusMessage } = incoming;
    resolve({ status: statusCode!, statusText: statusMessage!, headers: headersOf(incoming), body: decompressed(incoming) });
    // Refused before the body was through: the rest is not sent.
    incoming.once('end', () => void (outgoing.writableFinished || outgoing.destroy()));
  });
  const feed = async (): Promise<void> => {
    if (body !== undefined && isStream(body))
      for await (const chunk of body) {
        if (answered || outgoing.destroyed) return;
        // Written means handed to the system; why it could not be written is said by the request's own error.
        await new Promise<void>((written) => void outgoing.write(chunk, () => written()));
      }
    outgoing.end(body === undefined || isStream(body) ? undefined : body);
  };
  feed().catch((error: unknown) => {
    // What was answered before the body was through stays an answer.
    if (answered) return;
    reject(new SourceFailed(error));
    outgoing.destroy();
  });
  return promise;
}

const isStream = (body: NonNullable<Outgoing['body']>): body is AsyncIterable<Uint8Array> =>
  typeof body !== 'string' && !(body instanceof Uint8Array);

/**
 * The headers of an answer. Of times to wait that a gateway adds to those of the service Node keeps the first alone, and two dates it joins
 * to one that is none.
 */
function headersOf({ headers, headersDistinct: { date, 'retry-after': waits } }: IncomingMessage): IncomingMessage['headers'] {
  return { ...headers, ...(waits && { 'retry-after': waits.join(', ') }), ...(date && { date: date[0] }) };
}

/** The bytes of an answer; a coding that is not known is left to whoever reads them. */
function decompressed(incoming: IncomingMessage): AsyncIterable<Uint8Array> {
  const coding = codings[incoming.headers['content-encoding']?.toLowerCase() ?? ''];
  // The error of either stream comes out where the last one is read.
  return coding ? orEmpty(pipeline(incoming, coding(), () => undefined)) : incoming;
}

/** An answer may name a coding and have no body, as that of HEAD, a 204 or a 304: what ended whole without one byte is empty. */
async function* orEmpty(unpacked: Unpacking): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR' || unpacked.bytesWritten > 0) throw error;
  }
}
