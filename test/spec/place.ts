import { afterAll, beforeAll } from 'vitest';
import { ApiError } from '../../client/errors.ts';
import type { Calls } from '../../client/invoke.ts';
import { callsOf, createWorld, type World } from '../service/world.ts';

export type Place = World & {
  /** The product's own client, with the key of a user who owns the organization. */
  calls: Calls;
  /** The same client with another key, or with none that the service knows. */
  withKey: (token: string) => Calls;
};

/** One service for all tests of a file, on a socket; each test makes what it changes. */
export function usePlace(): () => Place {
  let place: Place | undefined;
  beforeAll(async () => {
    const world = await createWorld();
    await world.service.listen();
    place = { ...world, calls: callsOf(world, world.service.adminKeys.maps), withKey: (token) => callsOf(world, token) };
  });
  afterAll(async () => place?.[Symbol.asyncDispose]());
  return () => place!;
}

/** How the service refused a call; fails where it did not. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`not refused by the service: ${String(error)}`);
  return error;
}
