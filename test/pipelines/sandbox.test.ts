import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import type * as Sandboxed from './sandbox-workflow.ts';

test('expressions bundle for the workflow sandbox and evaluate there', async () => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./sandbox-workflow.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  expect(code).not.toMatch(/ZodError|require\("node:/);

  // What the sandbox has beside the language: no Buffer, no process. Date and random are not to be touched.
  const forbidden = (name: string) => () => {
    throw new Error(`${name} was called`);
  };
  const context = createContext({ console, TextEncoder, TextDecoder, AbortController, URL, forbidden });
  runInContext('Date.now = forbidden("Date.now"); Math.random = forbidden("Math.random");', context);
  const { importWorkflows } = runInContext(
    `var __webpack_module_cache__ = {}; var __TEMPORAL__ = { activator: undefined };\n${code}\n__TEMPORAL__`,
    context,
  ) as { importWorkflows(): typeof Sandboxed };
  const { evaluateTree, ExpressionError } = importWorkflows();

  const scope = { params: { n: 2, list: [1, 2] }, steps: { a: { rows: [{ id: 'x' }] } }, run: { id: 'r' } };
  const tree = {
    text: 'n is ${{ params.n + 1 }}',
    list: '${{ steps.a.rows.map(r, r.id) }}',
    size: '${{ size(params.list) }}',
    int: '${{ int("4") }}',
  };
  expect(JSON.parse(JSON.stringify(evaluateTree(tree, scope)))).toEqual({ text: 'n is 3', list: ['x'], size: 2, int: 4 });
  const types = ['${{ params.missing }}', '${{ 9223372036854775807 }}', '${{ steps.a.?b }}', '${{ 1.0 / 0.0 }}'].map((text) => {
    try {
      return evaluateTree(text, scope);
    } catch (error) {
      return error instanceof ExpressionError ? error.type : `another class: ${String(error)}`;
    }
  });
  expect(types).toEqual(['expression-evaluation', 'expression-result', 'expression-result', 'expression-result']);
});
