import { isHealthy } from '../../dev/temporal/grpc-health.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { findTemporal } from '../../dev/temporal/binary.ts';

/** A folder of this test only. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
};

/** The server that all tests share: fetched once into the checkout's `.portolan`. */
export const sharedTemporal = async (): Promise<string> =>
  (await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), report: () => undefined })).path;

/** What has not come by then never will. */
const hangsMs = 300_000;

/** Waits for something that has no event of its own, such as the death of a process that is no child. */
export const until = async (holds: () => boolean | Promise<boolean>, what: string): Promise<void> => {
  const deadline = Date.now() + hangsMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`still not: ${what}`);
    await pause(10);
  }
};

/** Whether a server answers that it serves, however busy the machine is: one that does not is waited for until the test's time is over. */
export const serves = (address: string): Promise<boolean> => isHealthy(address, hangsMs);
