import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEventTail } from '../../runs/event-tail.ts';

test('each call returns what was written since, of every file, and no half line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tail-'));
  const tail = createEventTail(folder);
  const seen = async (): Promise<string[]> => (await tail()).map(({ step }) => step);
  expect(await seen()).toEqual([]);
  await appendFile(join(folder, 'a.jsonl'), '{"step":"one"}\n{"step":"t');
  await appendFile(join(folder, 'b.jsonl'), '{"step":"übrig"}\n');
  expect((await seen()).toSorted()).toEqual(['one', 'übrig']);
  expect(await seen()).toEqual([]);
  await appendFile(join(folder, 'a.jsonl'), 'wo"}\n{"step":"cut{"step":"after"}\n{"step":"three"}\n');
  expect(await seen()).toEqual(['two', 'three']);
  await rm(folder, { recursive: true });
});

test('a folder that is not there has no events', async () => {
  expect(await createEventTail('/nowhere/at/all')()).toEqual([]);
});
