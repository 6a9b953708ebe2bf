import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';

const logger = new DefaultLogger('ERROR');

test('the workflow bundle holds no zod, no Node built-in, and stays small', async () => {
  const { code } = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)), logger });
  expect(code).not.toMatch(/node_modules\/zod\//);
  expect(code).not.toMatch(/external commonjs "(node:|fs|path|crypto)/);
  expect(code).toMatch(/node_modules\/@marcbachmann\/cel-js/);
  const withoutMap = code.replace(/\/\/# sourceMappingURL=.*$/m, '');
  expect(withoutMap.length).toBeLessThan(2_500_000);
});

test('control: a module that reaches a Node built-in does not bundle', async () => {
  await expect(
    bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('./reaches-node.fixture.ts', import.meta.url)), logger }),
  ).rejects.toThrow('Webpack finished with errors');
});
