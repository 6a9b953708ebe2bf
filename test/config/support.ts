import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A project folder of this test only, with the files given. */
export const project = (files: Record<string, string> = {}): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

/** A project whose configuration is this object. */
export const configured = (config: unknown, files: Record<string, string> = {}): string =>
  project({ ...files, 'portolan.config.mts': `export default ${JSON.stringify(config)};` });
