import { afterAll, beforeAll, beforeEach } from 'vitest';
import { useServer } from '../support/use-server.ts';
import type { World } from '../support/world.ts';

const api = new URL('../../index.ts', import.meta.url).href;

/** A server that takes one POST for each row, and own steps that send them, as `acme.posts` (idempotent) and `acme.once` (never). */
export type Posts = {
  url(): string;
  /** Names that came, in their order. */
  received(): string[];
  /** Holds the answers from the nth on; resolves when that one has come. */
  holdFrom(nth: number): Promise<void>;
  release(): void;
  /** Names that are refused. */
  refuse(...names: string[]): void;
};

const step = (name: string, effect: string): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: '${name}',
  input: z.strictObject({ url: z.string(), name: z.string() }),
  output: z.object({ said: z.string(), length: z.int() }),
  effect: '${effect}',
  async run({ url, name }, { attempt }) {
    const { ok } = await fetch(url + '/' + name, { method: 'POST' });
    if (!ok) throw new Error(name + ' is refused');
    if (name === 'later' && attempt === 1) throw Object.assign(new Error('not yet'), { retryable: true });
    return { said: name.toUpperCase(), length: name.length };
  },
});
`;

/** The server and the steps, in the project of a world, whose worker is started again to see them. */
export function usePosts(world: World): Posts {
  let received: string[] = [];
  let refused: readonly string[] = [];
  let from = Infinity;
  let held = Promise.withResolvers<void>();
  let released = Promise.withResolvers<void>();
  const { url } = useServer(async (request, response) => {
    const name = request.url!.slice(1);
    received.push(name);
    request.resume();
    if (received.length >= from) {
      held.resolve();
      await released.promise;
    }
    response.statusCode = refused.includes(name) ? 409 : 200;
    response.end();
  });
  beforeAll(async () => {
    await world.write('steps/posts.mts', step('acme.posts', 'idempotent'));
    await world.write('steps/once.mts', step('acme.once', 'never'));
    await world.worker.stop();
    await world.worker.start(0);
  });
  beforeEach(() => {
    received = [];
    refused = [];
    from = Infinity;
    held = Promise.withResolvers();
    released = Promise.withResolvers();
  });
  afterAll(() => {
    released.resolve();
  });
  return {
    url,
    received: () => received,
    holdFrom(nth) {
      from = nth;
      return held.promise;
    },
    release() {
      from = Infinity;
      released.resolve();
    },
    refuse: (...names) => void (refused = names),
  };
}

let tables = 0;

/** A table of these names, with a number each. */
export const namesTable = (world: World, names: readonly string[]): Promise<string> =>
  world.write(`data/rows-${tables++}.csv`, `name,number\n${names.map((name, at) => `${name},${at}\n`).join('')}`);
