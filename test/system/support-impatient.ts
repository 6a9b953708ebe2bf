import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import { createWorld } from '../support/world.ts';

/** A world on a server that suggests to continue as new after 30 events; by default it does so after 4,096. */
export async function impatientWorld(options: { lifted?: boolean } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-impatient-'));
  const { path: binary } = await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), report: () => undefined });
  const server = await startTemporal({ dir, binary, headless: true, settings: { 'limit.historyCount.suggestContinueAsNew': 30 } });
  const world = await createWorld({ ...options, temporal: server.address, bundle: inject('bundle') });
  return {
    world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await server.stop();
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
