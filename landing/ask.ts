import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { networkCode, unsendable } from '../client/network-code.ts';
import { parseRetryAfter } from '../client/retry-after.ts';
import { Wait } from '../client/wait.ts';
import { NotFetched } from '../errors/classes.ts';
import { shortageOf } from '../errors/system.ts';
import type { Answer } from '../reach/answer.ts';
import { isBadCertificate } from './certificate.ts';
import { get, type Door, type Target } from '../reach/request.ts';

/** What a refused request means, and what to do about it; `body`: its beginning. */
export type Refusal = (answer: { status: number; headers: IncomingHttpHeaders; body: string; place: string }) => NotFetched;

export type AskOptions = Door & {
  refusal: Refusal;
  signal: AbortSignal;
  /** Pauses between tries in which nothing came, in milliseconds: after the last one they are given up. */
  pausesMs?: readonly number[] | undefined;
};

/** The connection, or the server, failed as often as there are pauses. The next attempt goes on from the same byte. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly retryable = true;
}

export const usualPausesMs = [250, 500, 1_000, 2_000];

/** Of a refusal so much is read. */
const refusalBytes = 16 * 1024;

export type Asking = {
  /** An answer that is none of a failure, or a condition that does not hold (412, 416); undefined where the next try is due. */
  ask(headers: Record<string, string>): Promise<Answer | undefined>;
  /** Pauses after a failure on the way, or throws what no further try will change. */
  failed(error: unknown): Promise<void>;
  /** Something came: failures are counted anew. */
  came(): void;
};

/** Asks for one thing, by as many tries as it takes. */
export function createAsking(target: Target, { refusal, signal, pausesMs = usualPausesMs, ...door }: AskOptions): Asking {
  const { place } = target;
  let fails = 0;
  const pause = async (why: string): Promise<void> => {
    const ms = pausesMs[fails++];
    if (ms === undefined) throw new Interrupted(`${place}: ${why}, ${fails} times in a row`);
    await delay(ms, undefined, { signal });
  };
  const failed = async (error: unknown): Promise<void> => {
    signal.throwIfAborted();
    if (error instanceof NotFetched || error instanceof Wait || error instanceof Interrupted || shortageOf(error)) throw error;
    const code = networkCode(error);
    if (isBadCertificate(code))
      throw new NotFetched(
        `${place}: its certificate is not trusted here (${code})`,
        'have its server send one that is, or start the worker with NODE_EXTRA_CA_CERTS=FILE, the certificates that sign it',
      );
    if (unsendable.has(code))
      throw new NotFetched(
        `${place}: HTTP cannot carry what is sent for it (${code})`,
        'look at the secrets that are sent: one of them holds a character that no header can',
      );
    await pause(`the connection failed (${code})`);
  };
  return {
    failed,
    came: () => void (fails = 0),
    async ask(headers) {
      try {
        const answer = await get(target, headers, door, signal);
        const { status } = answer;
        if (status < 300 || [304, 412, 416].includes(status)) return answer;
        const body = await beginningOf(answer);
        const waitMs = parseRetryAfter(answer.headers['retry-after'], { date: answer.headers.date ?? null, now: Date.now() });
        if (status === 429 || (status >= 500 && waitMs !== undefined))
          throw new Wait(`${place} answers ${status} and asks to wait`, Math.max(1_000, waitMs ?? 0));
        if (status < 500 && status !== 408 && status !== 425) throw refusal({ status, headers: answer.headers, body, place });
        await pause(`the server answers ${status}`);
      } catch (error) {
        await failed(error);
      }
      return undefined;
    },
  };
}

async function beginningOf(answer: Answer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= refusalBytes) break;
  }
  answer.close();
  return Buffer.concat(chunks).toString('utf8', 0, refusalBytes);
}
