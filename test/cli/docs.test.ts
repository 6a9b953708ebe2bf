import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { portolan } from './support.ts';

test('docs names a page that is there; of one that is not, the nearest', async () => {
  const { code, out } = await portolan(['docs', 'errors']);
  expect(code).toBe(0);
  expect(existsSync(fileURLToPath(out.trim()))).toBe(true);
  expect(out).toMatch(/errors\.html\n$/);
  expect((await portolan(['docs'])).out).toMatch(/index\.html\n$/);

  const wrong = await portolan(['docs', 'tutorail']);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("no page 'tutorail'; did you mean 'tutorial'?");
  expect((await portolan(['docs', '../site/index'])).code).toBe(2);
});
