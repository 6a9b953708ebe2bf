import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { createWorld, type World } from '../support/world.ts';
import type { StackOptions } from '../support/stack.ts';

// Who acts; the configuration reads the process's own environment.
process.env['PORTOLAN_USER'] = 'tester';

/** The world of a test file: its own service, worker and task queue on the shared Temporal server. */
export function useWorld(options: StackOptions = {}): World {
  let made: World | undefined;
  beforeAll(async () => {
    made = await createWorld({ temporal: inject('temporal'), bundle: inject('bundle'), ...options });
  });
  afterEach(() => made?.control.checkFired());
  afterAll(() => made?.[Symbol.asyncDispose]());
  // Tests name it at the top of the file, before it is there.
  return new Proxy({} as World, {
    get: (_, key) => {
      if (!made) throw new Error('the world is made in beforeAll');
      return Reflect.get(made, key) as unknown;
    },
  });
}

/** A pipeline that appends the titles of films to a dataset. */
export const appendTitles = `
name: kept
params: { dataset: { type: slug }, source: { type: path } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true }, columns: { title: Title } } }
`;
