import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '../support/world.ts';

const api = new URL('../../index.ts', import.meta.url).href;

/** An own step that appends a word to a file, and fails where it is asked to. */
const saysStep = `import { appendFileSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.says',
  input: z.strictObject({ word: z.string(), file: z.string(), fails: z.boolean().default(false) }),
  output: z.object({ word: z.string(), long: z.boolean() }),
  effect: 'idempotent',
  run({ word, file, fails }) {
    if (fails) throw new Error(word + ' is not to be said');
    appendFileSync(file, word + ' ');
    return { word, long: word.length > 4 };
  },
});
`;

/** Gives the worker of a world `acme.says`. */
export async function giveSays(world: World): Promise<void> {
  await world.write('steps/says.mts', saysStep);
  await world.worker.stop();
  await world.worker.start(0);
}

/** What was said into a file; nothing where it is not there. */
export const saidIn = ({ dir }: Pick<World, 'dir'>, name: string): Promise<string> => readFile(join(dir, name), 'utf8').catch(() => '');
