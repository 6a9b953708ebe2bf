import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The exit code of a command whose output nobody reads. */
async function codeOf(...argv: string[]): Promise<unknown> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', here('cli/bin.ts'), ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.destroy();
  return (await once(child, 'exit'))[0];
}

test('the exit code of what is checked, or done, is the same where nobody reads what it prints', async () => {
  expect(await codeOf('validate', here('test/cli/none-such.yaml'), '--json')).toBe(2);
});

test('what only shows ends well where its reader has seen enough', async () => {
  expect(await codeOf('help')).toBe(0);
});
