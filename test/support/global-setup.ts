import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { temporalFiles } from '../../dev/temporal/files.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import { writeBundle } from './bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the Temporal server that all system tests share. */
    temporal: string;
    /** Its database file. */
    temporalDatabase: string;
    /** The workflow code, bundled once. */
    bundle: string;
  }
}

/** One Temporal server and one workflow bundle for all files of the system project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-system-'));
  const { path: binary } = await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), report: () => undefined });
  const [server, bundle] = await Promise.all([startTemporal({ dir, binary, headless: true }), writeBundle(dir)]);
  project.provide('temporal', server.address);
  project.provide('temporalDatabase', temporalFiles(dir).database);
  project.provide('bundle', bundle);
  return async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  };
}
