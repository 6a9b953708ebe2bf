const api = new URL('../../index.ts', import.meta.url).href;

/** An own step that appends a word to a file, and fails where it is asked to. */
export const saysStep = `import { appendFileSync } from 'node:fs';
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
