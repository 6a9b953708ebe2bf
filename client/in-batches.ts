import { ApiError } from './errors.ts';

/** What services say of a call that names too much; the text gives no largest number. */
const tooMuch = /too (?:many|large|big|long)|at most|maximum|exceeds?|limit/i;

/** Does a service refuse a call because it names too much? */
export const isTooMuch = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 413 || ([400, 422].includes(error.status) && tooMuch.test(error.body)));

/**
 * Sends items in batches of at most `size`, one after the other, and halves a batch that the service finds too large; the
 * batches after it are as small. What a batch of one is refused for is no question of size.
 */
export async function inBatches<T>(items: readonly T[], size: number, send: (batch: T[]) => Promise<void>): Promise<void> {
  let most = size;
  for (let at = 0; at < items.length;) {
    const batch = items.slice(at, at + most);
    try {
      await send(batch);
      at += batch.length;
    } catch (error) {
      if (batch.length === 1 || !isTooMuch(error)) throw error;
      most = batch.length >> 1;
    }
  }
}
