import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { recordFile } from '../../store/run-record.ts';
import { portolan } from './support.ts';

let cwd: string;
const run = 'films-2026-11-21-a7f3c09b';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-choices-'));
  // Nothing listens there: the run is known from its folder.
  await writeFile(join(cwd, 'portolan.config.mts'), `export default { temporal: { address: '127.0.0.1:1' }, store: './runs' };\n`);
  const folder = join(cwd, 'runs', run);
  await mkdir(folder, { recursive: true });
  const record = { run, workflowId: run, store: folder, pipeline: 'films', startedAt: '2026-11-21T00:00:00Z', startedBy: 'me' };
  await writeFile(join(folder, recordFile), JSON.stringify(record));
  await createRunStore(folder).items('rows', 0, [
    { item: 'a', status: 'added', attempts: 1 },
    { item: 'b', status: 'archived', attempts: 1 },
  ]);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

test('items: a fate that no item has is refused with those that there are, one that items may have is not', async () => {
  const items = (...argv: string[]) => portolan(['items', run, ...argv], { cwd });
  const wrong = await items('--status', 'nosuch');
  expect([wrong.code, wrong.out]).toEqual([2, '']);
  expect(wrong.err).toContain("✗ no item here is 'nosuch'\n  the items here are added, archived; others may be uploaded, present");
  expect((await items('--status', 'faild', '--json')).err).toContain("no item here is 'faild'; did you mean 'failed'?");
  expect((await items('--status', '')).code).toBe(2);
  expect(await items('--status', 'archived')).toMatchObject({ code: 0, out: expect.stringMatching(/^rows +b +archived/) });
  expect(await items('--status', 'failed')).toMatchObject({ code: 0, out: 'no such items\n' });
});
