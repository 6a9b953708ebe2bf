import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { outline } from '../../pipelines/compile/compile.ts';
import { loadPipeline } from '../../pipelines/file/load.ts';
import { steps } from '../../pipelines/steps/table.ts';

const folder = fileURLToPath(new URL('../../pipelines/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

test.each(files)('%s, which comes with the package, has no finding', async (name) => {
  const loaded = await loadPipeline(`${folder}${name}`);
  expect(outline(loaded, { steps, baseDir: loaded.baseDir })).not.toHaveProperty('findings');
});
