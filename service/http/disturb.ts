import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError } from '../core/errors.ts';
import type { Disturbance, Fault, Faults } from '../core/faults.ts';

/** The connection is cut and no answer is ever sent. */
export const cut = Symbol('cut');

/** What becomes of a call: an answer, half of one, or none. */
export type Outcome = Response | typeof cut | { half: Response };

const statusFault = ({
  status,
  retryAfter,
  detail = 'refused by an ordered fault',
}: Extract<Disturbance, { status: number }>): HttpError => {
  if (retryAfter === undefined) return new HttpError(status, detail);
  // By the clock of the answer's `Date`, against which it is read; whole seconds only: two ahead of the next whole one.
  const value = retryAfter === 'date' ? new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000).toUTCString() : String(retryAfter);
  return new HttpError(status, detail, { 'retry-after': value });
};

/** Ten pieces a second, so that a client sees the body coming all the time. */
const dribbled = async function* (body: Uint8Array, bytesPerSecond: number): AsyncGenerator<Uint8Array> {
  const size = Math.max(1, Math.floor(bytesPerSecond / 10));
  for (let at = 0; at < body.byteLength; at += size) {
    const piece = body.subarray(at, at + size);
    await sleep((piece.byteLength / bytesPerSecond) * 1_000);
    yield piece;
  }
};

const slowed = async (answer: Response, bytesPerSecond: number): Promise<Response> => {
  const body = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set('content-length', String(body.byteLength));
  return new Response(ReadableStream.from(dribbled(body, bytesPerSecond)), { status: answer.status, headers });
};

/**
 * Carries a call out under the fault that was ordered for it. `carryOut` returns refusals as answers, so that a fault of
 * the answer hits whatever the answer is.
 */
export const disturbed = async (faults: Faults, fault: Fault | undefined, carryOut: () => Promise<Response>): Promise<Outcome> => {
  if (!fault) return carryOut();
  const order = fault.do;
  if ('status' in order) throw statusFault(order);
  if ('reset' in order && order.reset === 'before') return cut;
  if ('hold' in order && order.hold === 'before') await faults.hold(fault);
  if ('duplicate' in order) await carryOut();
  const answer = await carryOut();
  if ('hold' in order && order.hold === 'after') await faults.hold(fault);
  if ('lose' in order || ('reset' in order && order.reset === 'after')) return cut;
  if ('slow' in order) return slowed(answer, order.slow.bytesPerSecond);
  if ('truncate' in order) return { half: answer };
  return answer;
};
