import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOwnSteps } from '../pipelines/own/load-steps.ts';
import type { Step } from '../pipelines/step.ts';
import type { Stack } from '../test/support/stack.ts';

/** Gives the project of a stack an own step and starts its worker anew with it. Returns the step for the compiler. */
export async function installStep(stack: Stack, name: string, body: string): Promise<Record<string, Step>> {
  const file = join(stack.dir, 'steps', `${name.replace('.', '-')}.mts`);
  await mkdir(join(stack.dir, 'steps'), { recursive: true });
  await writeFile(
    file,
    `import { defineStep, defineSweep, z } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};\n${body}`,
  );
  await stack.worker.stop();
  await stack.worker.start(0);
  return Object.fromEntries((await loadOwnSteps([file])).map((step) => [step.name, step]));
}
