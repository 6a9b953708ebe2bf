import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readingSince } from '../../activities/dataset/read-since.ts';
import type { StepContext } from '../../activities/frame/context.ts';
import { parseSeen } from '../../child/new-files.ts';
import type { ShardResult } from '../../child/tables.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { createMarks } from '../../store/marks.ts';

test('an attempt that was given away and lists later files leaves the list of the one that was accepted', async () => {
  const root = await mkdtemp(join(tmpdir(), 'portolan-since-'));
  try {
    const run = join(root, 'run-1');
    await mkdir(run);
    const attempt = async (attemptId: string, files: readonly string[]) => {
      const context = {
        step: 'rows',
        byItem: 'rows',
        attemptId,
        run: { id: 'run-1', pipeline: 'feed' },
        signal: new AbortController().signal,
        connection: () => ({ name: 'local' }),
        marks: createMarks(root),
        store: createRunStore(run),
        tables: { newFiles: async () => ({ of: files.length, files }) },
      } as unknown as StepContext;
      const reading = await readingSince(context, { source: 'data/*.csv', dataset: 'films', since: { files: 'new' } });
      const printed = files.map((name) => ({ name, sha256: name.repeat(64) }));
      return reading!.to({ rows: files.length, files: printed } as unknown as ShardResult);
    };
    const accepted = await attempt('first-2', ['a', 'b']);
    await attempt('first-1', ['a', 'b', 'c']);
    expect([...parseSeen(await readFile(join(run, accepted.keys), 'utf8')).keys()]).toEqual(['a', 'b']);
  } finally {
    await rm(root, { recursive: true });
  }
});
