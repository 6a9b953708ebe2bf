import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createControl } from '../support/control.ts';
import { resultOf, sendFile, taskEnd } from './parsing.ts';
import { startService, type Running } from './running.ts';

let dataDir: string;
let last: Running | undefined;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'portolan-parse-'))));
afterEach(async () => {
  await last?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The service on its folder, spoken to over the network. */
async function start() {
  last = await startService(dataDir);
  return { ...last, service: { fetch } };
}
type Started = Awaited<ReturnType<typeof start>>;

async function begun(running: Started, text: string): Promise<string> {
  const { svc_url: file_url } = await sendFile(running, { bytes: text });
  return (await running.api.post('/v1/parse', { file_url })).body.task_id;
}

test('a task that kill -9 of the service interrupts is begun again by the next one, and so is the one behind it', async () => {
  const first = await start();
  const control = createControl(() => first.ready.url);
  const { id } = await control.fault('task.begun', 1, { hold: 'before' });
  const tasks = [await begun(first, 'Under way.'), await begun(first, 'Behind it.')];
  expect(await control.held(id)).toBe(true);
  expect((await first.api.get(`/v1/status/${tasks[0]}`)).body.status).toBe('BUILDING');
  await first.kill();
  const second = await start();
  const read: string[] = [];
  for (const task of tasks) {
    const { status, result_url } = await taskEnd(second, task);
    expect(status).toBe('COMPLETED');
    read.push((await resultOf(second, result_url)).chunks[0]!.content);
  }
  expect(read).toEqual(['Under way.', 'Behind it.']);
});
