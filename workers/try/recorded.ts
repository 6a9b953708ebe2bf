import type { Exchange } from '../../client/exchange.ts';
import { requestName } from './fake-exchange.ts';

/** A request that a step has sent. `status` is null where no answer came. */
export type SentRequest = { request: string; status: number | null; ms: number };

/** Sends by `exchange`, and notes what was sent; queries and headers are left out, where secrets may be. */
export const recorded =
  (exchange: Exchange, sent: SentRequest[]): Exchange =>
  async (outgoing) => {
    const from = performance.now();
    const note = (status: number | null): void =>
      void sent.push({ request: requestName(outgoing), status, ms: Math.round(performance.now() - from) });
    try {
      const answer = await exchange(outgoing);
      note(answer.status);
      return answer;
    } catch (error) {
      note(null);
      throw error;
    }
  };
