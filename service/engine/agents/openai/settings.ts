import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { withoutByteOrderMark } from '../../../../text/byte-order-mark.ts';

const usd = z.number().min(0);

const schema = z.strictObject({
  /** Ends before `/chat/completions`. */
  url: z.url(),
  /** Model of agents that name none. */
  model: z.string().min(1),
  /** File that holds the key, from the folder of this one. Absent: the endpoint takes none. */
  keyFile: z.string().min(1).optional(),
  /** US dollars for a million tokens, by model. */
  prices: z.record(z.string(), z.strictObject({ input: usd, output: usd, cached: usd.optional() })).default({}),
  /** Do its models search the web where they are asked to, by `web_search_options`? */
  webSearch: z.boolean().default(false),
  /** Longest time for one answer. */
  timeoutSeconds: z.number().positive().max(3_600).default(120),
});

export type OpenAiSettings = Omit<z.output<typeof schema>, 'keyFile'> & { key: string | undefined };

const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
};

/** Reads the file that names an OpenAI-compatible endpoint for the agents. Fails with what is wrong, and never with the key. */
export function readOpenAiSettings(path: string): OpenAiSettings {
  let given: unknown;
  try {
    given = JSON.parse(withoutByteOrderMark(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path}: cannot be read as JSON (${(error as NodeJS.ErrnoException).code ?? 'its syntax'})`, { cause: error });
  }
  const { data, error } = schema.safeParse(given);
  if (!data) throw new Error(`${path}: ${z.prettifyError(error)}`);
  if (!isInstalled('openai'))
    throw new Error(`${path}: agents are answered through the official SDK, which is not installed: npm install openai`);
  const { keyFile, ...settings } = data;
  if (keyFile === undefined) return { ...settings, key: undefined };
  const file = resolve(dirname(path), keyFile);
  try {
    return { ...settings, key: readFileSync(file, 'utf8').trim() };
  } catch (error) {
    throw new Error(`${path}: keyFile ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
