import { setTimeout as sleep } from 'node:timers/promises';

/** Request bodies of all connections together, read at a rate that the control plane sets. */
export type Intake = {
  /** Null: as fast as they come. */
  readonly bytesPerSecond: number | null;
  /** Bodies that wait for their turn now. */
  readonly waiting: number;
  set(bytesPerSecond: number | null): void;
  /** The chunks of a body at its share of the rate. Who does not pull does not read: the sender's socket fills up. */
  shape(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
};

/** Largest piece, in milliseconds of the rate: smaller than what a viewer sees. */
const pieceMs = 25;

/** What a process that was kept from running may make up for: its share of the processor is not the network's rate. */
const creditMs = 100;

/**
 * A token bucket of 100 ms, kept as the time at which the next byte is free, so that no timer's delay is lost from the
 * rate. Turns are given in the order of asking.
 */
export const createIntake = (clock: () => number = () => performance.now()): Intake => {
  let rate: number | null = null;
  let free = 0;
  let waiting = 0;
  // A change of the rate makes everybody who waits ask again.
  let changed = Promise.withResolvers<void>();

  const admit = async (bytes: number): Promise<void> => {
    while (rate !== null) {
      const mine = rate;
      const turn = Math.max(clock() - creditMs, free);
      free = turn + (bytes / mine) * 1_000;
      const waitMs = turn - clock();
      if (waitMs <= 0) return;
      const stop = new AbortController();
      waiting += 1;
      const again = await Promise.race([
        sleep(waitMs, false, { signal: stop.signal }).catch(() => false),
        changed.promise.then(() => true),
      ]);
      stop.abort();
      waiting -= 1;
      if (!again) return;
    }
  };

  return {
    get bytesPerSecond() {
      return rate;
    },
    get waiting() {
      return waiting;
    },
    set(bytesPerSecond) {
      rate = bytesPerSecond;
      free = 0;
      changed.resolve();
      changed = Promise.withResolvers<void>();
    },
    async *shape(source) {
      for await (const chunk of source) {
        for (let at = 0; at < chunk.byteLength;) {
          const size = rate === null ? chunk.byteLength : Math.max(1, Math.floor((rate * pieceMs) / 1_000));
          const piece = at === 0 && size >= chunk.byteLength ? chunk : chunk.subarray(at, at + size);
          await admit(piece.byteLength);
          yield piece;
          at += piece.byteLength;
        }
      }
    },
  };
};
