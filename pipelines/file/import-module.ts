import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Imported = { value: unknown } | { problem: string; remedy?: string };

const oldest = [22, 18] as const;

/** One line where this Node cannot run TypeScript files as they are. */
export function nodeProblem(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    ? undefined
    : `Node ${version} is too old: own steps and pipelines in TypeScript need Node ≥ ${oldest.join('.')}`;
}

/** Imports a user's module and gives its default export, made by `maker` (`defineStep`, `definePipeline`), or why not. */
export async function importDefault(url: string, maker: string): Promise<Imported> {
  const extension = extname(fileURLToPath(url));
  const old = extension.endsWith('ts') ? nodeProblem() : undefined;
  if (old) return { problem: old };
  try {
    const module = (await import(url)) as { default?: unknown };
    return module.default === undefined
      ? { problem: `no default export: write \`export default ${maker}({ … })\`` }
      : { value: module.default };
  } catch (error) {
    return explain(error, basename(fileURLToPath(url)));
  }
}

function explain(error: unknown, file: string): Imported {
  const extension = extname(file);
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  const text = message ?? String(error);
  // A folder of type commonjs: `.ts` and `.js` are then scripts, where `import` and `export` are errors.
  const commonjs =
    (extension === '.ts' || extension === '.js') &&
    (/Cannot use import statement|Unexpected token 'export'|require is not defined|is not exported from|exports is not defined/.test(
      text,
    ) ||
      code === 'ERR_REQUIRE_ESM');
  if (commonjs)
    return {
      problem: `this folder's package.json makes ${extension} files CommonJS`,
      remedy: `rename it to ${file.replace(/(t|j)s$/, 'm$1s')}`,
    };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return {
      problem: `${text.split('\n')[0]}`,
      remedy: 'Node runs TypeScript by leaving types out: no enums, namespaces or parameter properties',
    };
  if (code === 'ERR_MODULE_NOT_FOUND')
    return { problem: text.split('\n')[0]!, remedy: 'install the package, or write the file name with its extension' };
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return { problem: 'Node runs no TypeScript below node_modules', remedy: 'move the file out of node_modules, or publish it as .mjs' };
  return { problem: `it fails while loading: ${text.split('\n')[0]}` };
}
