import type { RequestListener } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { serve } from './serve.ts';

/** A service of the tests of a file, there from the first hook of its own on. `url()`: where it is. */
export function useServer(listener: RequestListener): { url(): string } {
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  beforeAll(async () => {
    server = await serve(listener);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  return { url: () => server!.url };
}
