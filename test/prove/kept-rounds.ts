import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSources, root } from '../../scripts/sources.mjs';

/** Rounds of one proof, kept on disk as they end, so that a long proof can be continued. */
export type KeptRounds = {
  /** What an earlier run of the same sources found under this key, or what `make` finds now. */
  round<T>(key: string, make: () => Promise<T>): Promise<T>;
  has(key: string): boolean;
};

type Kept = { sources: string; key: string; at: string; value: unknown };

/**
 * `resume` takes the rounds of `.portolan/prove/NAME.jsonl` that were made with the very same sources; a change of any
 * source file makes them again, unless a key says by itself what its round rests on (`anySources`). Without it the file begins anew.
 */
export async function keptRounds(
  name: string,
  { resume, anySources = false }: { resume: boolean; anySources?: boolean },
): Promise<KeptRounds> {
  const folder = join(root, '.portolan', 'prove');
  const file = join(folder, `${name}.jsonl`);
  const sources = hashSources();
  await mkdir(folder, { recursive: true });
  const kept = new Map<string, unknown>();
  if (resume) for (const line of await linesOf(file)) if (anySources || line.sources === sources) kept.set(line.key, line.value);
  if (!resume) await rm(file, { force: true });
  return {
    has: (key) => kept.has(key),
    async round<T>(key: string, make: () => Promise<T>) {
      if (kept.has(key)) return kept.get(key) as T;
      const value = await make();
      await appendFile(file, `${JSON.stringify({ sources, key, at: new Date().toISOString(), value } satisfies Kept)}\n`);
      return value;
    },
  };
}

async function linesOf(file: string): Promise<Kept[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  // A kill may cut the last line.
  return text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Kept);
}
