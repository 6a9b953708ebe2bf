import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClock } from '../../service/core/clock.ts';
import { openRecords } from '../../service/core/records/database.ts';
import { firstUser } from '../../service/core/records/organizations.ts';
import { createTasks, type TasksOptions } from '../../service/engine/documents/tasks.ts';

test('a task is not given up because the service ended in order while it was under way, however often', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-tasks-'));
  const records = openRecords(join(folder, 'records.sqlite'));
  onTestFinished(() => {
    records.close();
    rmSync(folder, { recursive: true });
  });
  const open = (work: TasksOptions['work']) => createTasks({ records, clock: createClock(), atOnce: 1, work });
  const long: TasksOptions['work'] = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
  const first = open(long);
  const { organizationId } = firstUser(records);
  const { task_id } = first.add({ kind: 'parse', organization_id: organizationId, user_id: null, input: {} });
  await first.close();
  for (let time = 0; time < 6; time++) {
    const again = open(long);
    again.resume();
    expect(again.get(task_id)!.state).toBe('BUILDING');
    await again.close();
  }
  const last = open(async () => undefined);
  last.resume();
  await expect.poll(() => last.get(task_id)!.state).toBe('COMPLETED');
  await last.close();
});
