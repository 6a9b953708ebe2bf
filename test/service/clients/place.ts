import { afterAll, beforeAll } from 'vitest';
import { createWorld, type World } from '../world.ts';
import { sendRaw, type RawAnswer, type RawRequest } from './socket.ts';

export type ClientPlace = World & {
  /** With the key of the first user, as a public client sends it; `{}` for `headers` leaves the rest to the test. */
  raw: (request: RawRequest) => Promise<RawAnswer>;
  /** Without a key. */
  rawOpen: (request: RawRequest) => Promise<RawAnswer>;
  get: (path: string) => Promise<RawAnswer>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<RawAnswer>;
};

/** One service for all tests of a file, spoken to over plain sockets. */
export function useClients(): () => ClientPlace {
  let place: ClientPlace | undefined;
  beforeAll(async () => {
    const world = await createWorld();
    const { url } = await world.service.listen();
    const authorization = `Bearer ${world.service.adminKeys.maps}`;
    const rawOpen = (request: RawRequest) => sendRaw(url, request);
    const raw = ({ headers = {}, ...request }: RawRequest) => rawOpen({ ...request, headers: { authorization, ...headers } });
    place = {
      ...world,
      raw,
      rawOpen,
      get: (path) => raw({ method: 'GET', path, headers: { 'content-type': 'application/json' } }),
      post: (path, body, headers = { 'content-type': 'application/json' }) =>
        raw({ method: 'POST', path, headers, body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    };
  });
  afterAll(async () => place?.[Symbol.asyncDispose]());
  return () => place!;
}
