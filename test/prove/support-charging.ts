import type { ServerResponse } from 'node:http';
import { uptime } from '../../text/uptime.ts';
import { serve } from '../support/serve.ts';
import { createWindow } from './support-window.ts';

/** Whether it does so with a customer. `hangs`: once; of every other one the charge has happened. */
type Judge = (customer: string) => boolean;

/** What the service lets through in any window. */
export const charges = { count: 200, seconds: 10 } as const;

/** A time, in milliseconds, from a kill to the first request after it. */
type Away = { from: number; to: number };

/**
 * Seconds in which the limit lets so many requests through, from the first on. `before`: when those were let through that came before
 * them; all times in milliseconds.
 */
export function leastSeconds(before: readonly number[], from: number, requests: number, away: readonly Away[]): number {
  const times = [...before];
  for (let at = 0; at < requests; at++) {
    const open = Math.max(from, times.at(-1) ?? from, (times.at(-charges.count) ?? -Infinity) + charges.seconds * 1_000);
    times.push(away.find((each) => each.from <= open && open < each.to)?.to ?? open);
  }
  return (times.at(-1)! - from) / 1_000;
}

/**
 * A service that charges customers: a sliding window, customers that are declined, requests that hang, answers that are held until
 * whoever asked is dead. It knows what was charged.
 */
export async function createCharging() {
  const window = createWindow(charges);
  const charged = new Map<string, number>();
  const hung = new Set<string>();
  /** When each request was let through, of all runs. */
  const times: number[] = [];
  const away: Away[] = [];
  let killedAt: number | undefined;
  let first: number | undefined;
  const set: { declined: Judge; hangs: Judge } = { declined: () => false, hangs: () => false };
  let held: ServerResponse[] = [];
  let holdAt = Infinity;
  let dead = Promise.withResolvers<void>();

  const charge = (customer: string): void => void charged.set(customer, (charged.get(customer) ?? 0) + 1);
  const service = await serve((request, response) => {
    const now = uptime();
    const customer = request.url!.slice(1);
    request.resume();
    first ??= now;
    if (killedAt !== undefined) away.push({ from: killedAt, to: now });
    killedAt = undefined;
    const seconds = window.refuses(request.socket);
    if (seconds !== undefined) return void response.writeHead(429, { 'retry-after': String(seconds) }).end();
    times.push(now);
    if (set.declined(customer)) return void response.writeHead(402).end('declined');
    if (set.hangs(customer) && !hung.has(customer)) {
      if (hung.add(customer).size % 2 === 0) charge(customer);
      return;
    }
    charge(customer);
    if (times.length < holdAt) return void response.end('{}');
    held.push(response);
    dead.resolve();
  });
  return {
    ...service,
    seen: window.seen,
    set,
    /** Begins to measure a run; what is returned ends it: its time until now, and the least that the limit allows, in seconds. */
    measure(): () => { requests: number; seconds: number; least: number } {
      first = undefined;
      const before = [...times];
      return () => {
        const from = first ?? 0;
        const requests = times.length - before.length;
        if (requests === 0) return { requests, seconds: 0, least: 0 };
        return { requests, seconds: (times.at(-1)! - from) / 1_000, least: leastSeconds(before, from, requests, away) };
      };
    },
    /** Seconds from each kill to the first request after it. */
    recoveries: (): number[] => away.map(({ from, to }) => (to - from) / 1_000),
    /** How often a customer was charged. */
    times: (customer: string): number => charged.get(customer) ?? 0,
    charged: (): number => charged.size,
    repeated: (): number => [...charged.values()].filter((count) => count > 1).length,
    /** Resolves when, so many requests from now, one has been charged whose answer is held. */
    async holdAfter(count: number): Promise<void> {
      holdAt = times.length + count;
      await dead.promise;
    },
    /** Whoever waited for a held answer is dead, and another one comes with `alive`. */
    async letGo(alive: () => Promise<void>): Promise<void> {
      const from = uptime();
      holdAt = Infinity;
      dead = Promise.withResolvers();
      for (const response of held) response.destroy();
      held = [];
      await alive();
      killedAt = from;
    },
  };
}

export type Charging = Awaited<ReturnType<typeof createCharging>>;
