import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Json } from '../../text/json.ts';
import { meantPipeline } from './meant-pipeline.ts';
import type { UsedFile, UsedFiles } from './parse.ts';

/** A pipeline that runs one that runs one, and so on, is not followed deeper. */
const deepest = 5;

/** What a step names that is a pipeline file and no step. */
export const isPipelinePath = (use: string): boolean => /^(\.{0,2}\/)/.test(use);

/** Every `use` of a file that is a path. */
function pathsIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(pathsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name === 'use' && typeof part === 'string' ? (isPipelinePath(part) ? [part] : []) : pathsIn(part),
  );
}

/**
 * Reads the pipeline files that the steps of a file name, and those that these name. `chain`: the file with those that lead to it, the
 * first one first. What cannot be used says why: it never fails.
 */
export async function loadUses(
  value: Json | undefined,
  folder: string,
  chain: readonly string[],
  load: (path: string, chain: readonly string[]) => Promise<Extract<UsedFile, { value: unknown }>>,
): Promise<{ uses?: UsedFiles }> {
  const named = [...new Set(pathsIn(value))];
  if (named.length === 0) return {};
  const found = await Promise.all(
    named.map(async (use): Promise<[string, UsedFile]> => {
      const path = resolve(folder, use);
      const shown = (file: string): string => relative(folder, file) || file;
      if (chain.includes(path)) {
        const circle = [...chain.slice(chain.indexOf(path)), path].map(shown).join(' → ');
        return [use, { problem: `pipelines run each other in a circle: ${circle}`, remedy: 'take one of these steps out' }];
      }
      if (chain.length >= deepest)
        return [
          use,
          {
            problem: `pipelines stand ${deepest} deep at most: ${[...chain, path].map(shown).join(' → ')}`,
            remedy: 'put the steps of one of them into the file above it',
          },
        ];
      return [use, await load(path, chain).catch((error: NodeJS.ErrnoException) => missing(use, path, chain, error))];
    }),
  );
  return { uses: Object.fromEntries(found) };
}

async function missing(use: string, path: string, chain: readonly string[], error: NodeJS.ErrnoException): Promise<UsedFile> {
  const remedy = 'write the path of a pipeline file from the folder of this one';
  if (error.code !== 'ENOENT') return { problem: `${use} cannot be read: ${error.message}`, remedy };
  const file = await meantPipeline(path);
  const problem = `there is no file ${use}`;
  // One that leads to this file would run itself.
  if (file === undefined || chain.includes(file)) return { problem, remedy };
  const meant = isAbsolute(use) ? file : `./${relative(dirname(chain.at(-1)!), file)}`.replace(/^\.\/\.\.\//, '../');
  return { problem: `${problem}; did you mean '${meant}'?`, remedy, meant };
}
