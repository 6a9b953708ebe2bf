import type { Socket } from 'node:net';
import { uptime } from '../../text/uptime.ts';

/**
 * A sliding window over requests, which knows what came too early for certain: on a connection over which a refusal went out
 * whose time is not over. A connection is used again only when its answer has been read, so no clock but this one is asked.
 */
export function createWindow({ count, seconds }: { count: number; seconds: number }) {
  const through: number[] = [];
  const refusedUntil = new WeakMap<Socket, number>();
  const seen = { requests: 0, refused: 0, early: 0 };
  return {
    seen,
    /** Lets a request through, or returns the whole seconds for which it is refused. */
    refuses(socket: Socket): number | undefined {
      const now = uptime();
      seen.requests++;
      if (now < (refusedUntil.get(socket) ?? 0)) seen.early++;
      const since = now - seconds * 1_000;
      while (through.length > 0 && through[0]! <= since) through.shift();
      if (through.length < count) return void through.push(now);
      seen.refused++;
      const wait = Math.max(1, Math.ceil((through[0]! - since) / 1_000));
      refusedUntil.set(socket, now + wait * 1_000);
      return wait;
    },
  };
}
