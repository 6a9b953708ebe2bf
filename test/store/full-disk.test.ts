import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toFailure } from '../../activities/frame/failure.ts';
import { writeWhole } from '../../files/whole-file.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { passedRows } from '../../store/passed-rows.ts';
import { openReservations } from '../../store/reservations.ts';
import { createDisk, whyNoDisks, type Disk } from '../prove/support-disk.ts';

describe.skipIf((await whyNoDisks()) !== undefined)('on a full disk', () => {
  let dir: string;
  let disk: Disk;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'portolan-full-'));
    disk = await createDisk(dir, '2m');
    await mkdir(join(dir, 'runs', 'run'), { recursive: true });
  });
  afterEach(async () => {
    await disk[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  test('a file that does not fit leaves nothing beside it', async () => {
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(writeWhole(join(dir, 'large'), Buffer.alloc(3_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readdir(dir)).toEqual(['runs']);
  });

  test('what is put aside for a rerun fails as what has no room', async () => {
    await using passed = passedRows<string>(join(dir, 'passed'));
    // A part of it fits.
    await expect(passed.put('a', 'x'.repeat(3_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  test('what has no room in a database is waited for', async () => {
    const reservations = await openReservations(createRunStore(join(dir, 'runs', 'run')), 'cap', 1_000_000);
    await disk.fill();
    let failed: unknown;
    try {
      for (let item = 0; item < 1_000; item++) reservations.reserve(`item ${item}`, 1);
    } catch (error) {
      failed = error;
    }
    reservations.close();
    expect(toFailure(failed)).toMatchObject({ type: 'Unavailable', category: 'BENIGN' });
  });

  test('the first event behind it is not lost', async () => {
    const store = createRunStore(join(dir, 'runs', 'run'));
    await store.event({ step: 'a', kind: 'retry', cause: 'first' });
    await disk.fill();
    for (let event = 0; event < 200; event++) await store.event({ step: 'a', kind: 'retry', cause: 'full' }).catch(() => undefined);
    await disk.empty();
    await store.event({ step: 'a', kind: 'code', cause: 'last' });
    expect((await store.events()).at(-1)?.cause).toBe('last');
  });
});
