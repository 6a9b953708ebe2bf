import { execFile } from 'node:child_process';
import { basename, extname } from 'node:path';
import { NoEnd } from '../../files/loaded-in.ts';
import { placesOf } from '../../text/stack-places.ts';

/** Why a module could not be imported. `at`: `file:line` or `file:line:column`, where it is known. */
export type ImportProblem = { problem: string; remedy?: string; at?: string };

const esmInCommonjs =
  /Cannot use import statement|Unexpected token 'export'|require is not defined|is not exported from|exports is not defined/;

/** In plain words why this file of a user's could not be imported, and what to do. */
export async function explainImport(error: unknown, file: string): Promise<ImportProblem> {
  const extension = extname(file);
  const { code, message, stack } = (error ?? {}) as { code?: string; message?: string; stack?: string };
  const text = (message ?? String(error)).split('\n')[0]!;
  // A folder of type commonjs: `.ts` and `.js` are then scripts, where `import` and `export` are errors.
  if ((extension === '.ts' || extension === '.js') && (esmInCommonjs.test(message ?? '') || code === 'ERR_REQUIRE_ESM'))
    return {
      problem: `this folder's package.json makes ${extension} files CommonJS`,
      remedy: `rename it to ${basename(file).replace(/(t|j)s$/, 'm$1s')}`,
    };
  const [place] = placesOf(stack);
  const at = place ?? (error instanceof SyntaxError ? await checkedPlace(file) : undefined);
  const where = at === undefined ? {} : { at };
  if (error instanceof NoEnd)
    return { problem: text, remedy: 'do what takes time in the code of a step: the top of a file only says what there is', ...where };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return { problem: text, remedy: 'Node runs TypeScript by leaving types out: no enums, namespaces or parameter properties', ...where };
  if (code === 'ERR_MODULE_NOT_FOUND')
    return { problem: text, remedy: 'install the package, or write the file name with its extension', ...where };
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return { problem: 'Node runs no TypeScript below node_modules', remedy: 'move the file out of node_modules, or publish it as .mjs' };
  return { problem: `it fails while loading: ${text}`, ...where };
}

/** An import does not say where a file of plain JavaScript breaks the grammar; Node's check of the same file does. */
const checkedPlace = (file: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], (_error, _out, said) => resolve(placesOf(said)[0]));
  });
