import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../scripts/sources.mjs';
import { runTests } from './run-tests.ts';

/** Runs one test with this code in a folder of its own. */
async function ran(code: string, options: { limitMs?: number; mostMb?: number } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-run-tests-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
  await writeFile(join(dir, 'one.test.ts'), `import { expect, test } from 'vitest';\ntest('one', async () => {\n${code}\n});\n`);
  return runTests(dir, ['one.test.ts'], { limitMs: 60_000, ...options });
}

test('a test passes, fails, or shows nothing where it cannot be loaded', async () => {
  expect(await ran('expect(1).toBe(1);')).toMatchObject({ result: 'green' });
  expect(await ran('expect(1).toBe(2);')).toMatchObject({ result: 'red', why: 'one' });
  expect(await ran('for (')).toMatchObject({ result: 'silent', why: expect.stringContaining('cannot be loaded') });
});

test('what never ends is ended, and so is what takes more memory than it may', async () => {
  expect(await ran('for (;;);', { limitMs: 3_000 })).toMatchObject({ result: 'hung', why: 'ended after 3 s' });
  const takes = 'const kept = [];\nfor (;;) { kept.push(Buffer.alloc(20e6, 1)); await new Promise((go) => setTimeout(go, 10)); }';
  expect(await ran(takes, { mostMb: 800 })).toMatchObject({ result: 'hung', why: 'ended beyond 800 MB' });
});
