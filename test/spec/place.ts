import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { ApiError } from '../../client/errors.ts';
import { exchange, type Exchange, type Outgoing } from '../../client/exchange.ts';
import type { Calls, InputOf } from '../../client/invoke.ts';
import type { Service } from '../../contracts/index.ts';
import { callsOf, createWorld, unlimited, type World } from '../service/world.ts';

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
    await unlimited(world);
    place = { ...world, calls: callsOf(world, world.service.adminKeys.maps), withKey: (token) => callsOf(world, token) };
  });
  afterAll(async () => place?.[Symbol.asyncDispose]());
  return () => place!;
}

/** How the service refused a call; fails where it did not. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number; body: unknown; code?: string }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`not refused by the service: ${String(error)}`);
  return error;
}

/** The status by which the service refused each of several calls. */
export const statusesOf = (calls: readonly Promise<unknown>[]): Promise<number[]> =>
  Promise.all(calls.map(async (call) => (await refusalOf(call)).status));

/** Whether the service does what a key asks of it; false where it refuses by 403, and a failure where by anything else. */
export const isAllowed = async (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return false;
      throw error;
    },
  );

export type Holder = Calls & { key: string };

/** A further user: a member of the first one's organization, with a personal one besides. */
export async function addPerson(
  { api, withKey }: Place,
  name: string,
  { service = 'maps', scopes = ['developer'] }: { service?: Service; scopes?: readonly string[] } = {},
): Promise<Holder & { id: string; email: string }> {
  const email = `${name}@example.com`;
  const { id } = (await api.post('/__control/users', { name, email })).body as { id: string };
  const { key } = (await api.post('/__control/keys', { service, name, scopes, user: id })).body as { key: string };
  return { id, email, key, ...withKey(key) };
}

type NewKey = Omit<InputOf<'maps.keys.create'>, 'organization_id'> & { organization_id?: string };

/** A key that the owner makes, in the organization of the owner where none is named. */
export async function makeKey({ calls, organization: { organization_id }, withKey }: Place, asked: NewKey): Promise<Holder> {
  const { key } = await calls.invoke('maps.keys.create', { organization_id, ...asked });
  return { key, ...withKey(key) };
}

/** The owner's client at a base URL that ends in a path, at which a gateway has the service, and the requests that it sent. */
export function watchedCalls(place: Place, path = '', service: Service = 'maps'): Calls & { sent: Outgoing[] } {
  const sent: Outgoing[] = [];
  const { url, adminKeys } = place.service;
  const baseUrl = `${url}${path}`;
  const by: Exchange = (outgoing) => {
    sent.push(outgoing);
    return exchange({ ...outgoing, url: outgoing.url.replace(baseUrl.replace(/\/$/, ''), url) });
  };
  const calls = callsOf(place, adminKeys[service], { baseUrl, by });
  return { ...calls, sent };
}

/** The dataset, once it takes changes again and all of its maps are ready. */
export async function settled({ invoke }: Pick<Calls, 'invoke'>, project_id: string) {
  for (;;) {
    const project = await invoke('maps.projects.get', { project_id });
    if (!project.insert_update_delete_lock && project.maps.every(({ ready }) => ready)) return project;
    await pause(5);
  }
}

/** Brings the maps of a dataset up to its data. */
export async function updateMaps({ invoke }: Pick<Calls, 'invoke'>, project_id: string): Promise<void> {
  await invoke('maps.indices.update', { project_id });
  await settled({ invoke }, project_id);
}
