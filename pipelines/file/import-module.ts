import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadedIn } from '../../files/loaded-in.ts';
import type { ImportProblem } from './explain-import.ts';

export type Imported = { value: unknown } | ImportProblem;

const oldest = [22, 18] as const;

/** One line where this Node cannot run TypeScript files as they are. */
export function nodeProblem(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    ? undefined
    : `Node ${version} is too old: own steps and pipelines in TypeScript need Node ≥ ${oldest.join('.')}`;
}

/** Imports a user's module and gives its default export, made by `maker` (`defineStep`, `definePipeline`), or why not. */
export async function importDefault(url: string, maker: string, longestMs?: number): Promise<Imported> {
  const file = fileURLToPath(url);
  const old = extname(file).endsWith('ts') ? nodeProblem() : undefined;
  if (old) return { problem: old };
  try {
    const module = (await loadedIn(() => import(url), longestMs)) as { default?: unknown };
    if (module.default !== undefined) return { value: module.default };
    const { making, whereIn } = await import('./where-in.ts');
    return { problem: `no default export: write \`export default ${maker}({ … })\``, at: await whereIn(file, making) };
  } catch (error) {
    return (await import('./explain-import.ts')).explainImport(error, file);
  }
}
