import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepRetention, retentionOf } from '../../runs/retention.ts';
import { moviesOf, newSlug } from '../support/world.ts';
import { appendTitles, useWorld } from './support.ts';

const world = useWorld();

const folder = (run: string, ...parts: string[]): string => join(world.place.storeRoot, run, ...parts);

const doneRun = async (): Promise<string> => {
  const source = await world.write('movies.json', moviesOf(30));
  const { result } = await world.run(appendTitles, { dataset: newSlug('kept'), source });
  expect(result.state).toBe('done');
  return result.run;
};

test('a run store is kept to its retention day by day, on the clock that is given, and a failure is tried again', async () => {
  const run = await doneRun();
  const lines: string[] = [];
  const stop = new AbortController();
  let now = Date.now();
  const left: boolean[][] = [];
  await keepRetention(world.place, retentionOf({ runs: '3d', shards: '1d' }), {
    report: (line) => lines.push(line),
    signal: stop.signal,
    clock: {
      now: () => now,
      after: async (ms) => {
        left.push([existsSync(folder(run)), existsSync(folder(run, 'rows'))]);
        now += ms + 1_000;
        // On the third day the disk does not give a record of the store.
        if (left.length === 2) await mkdir(folder('unread', 'run.json'), { recursive: true });
        if (left.length === 3) await rm(folder('unread'), { recursive: true });
        if (left.length === 5) stop.abort();
      },
    },
  });
  expect(left).toEqual([
    [true, true],
    [true, false],
    [true, false],
    [false, false],
    [false, false],
  ]);
  expect(lines.map((line) => line.replace(/\d+ bytes/, 'N bytes'))).toEqual([
    `retention: removed ${folder(run, 'rows')} (working files, N bytes)`,
    expect.stringMatching(/^retention: .*; tried again in a day$/),
    `retention: removed ${folder(run)} (age, N bytes)`,
  ]);
});

test('what a retention does not name is as gc has it: whole runs stay for thirty days', () => {
  const day = 86_400_000;
  expect(retentionOf({})).toEqual({ olderThanMs: 30 * day, workAfterMs: 0 });
  expect(retentionOf({ shards: '2d' })).toEqual({ olderThanMs: 30 * day, workAfterMs: 2 * day });
});

test('gc and workers keep to the retention of the configuration; without one nothing is removed by itself', async () => {
  const run = await doneRun();
  const configured = (retention: string): Promise<string> =>
    world.write('portolan.config.mts', `export default { retention: ${retention} };`);
  await configured(`{ runs: '7d', shards: '7d' }`);
  expect(await world.portolan(['gc'])).toMatchObject({ code: 0, out: 'nothing to remove\n' });
  await configured(`{ runs: 'week' }`);
  expect(await world.portolan(['gc'])).toMatchObject({ code: 2, err: expect.stringContaining('retention.runs: a duration such as 90s') });
  await configured(`{ most: '1kB' }`);
  expect((await world.portolan(['gc', '--json', '--most', '1GB'])).out).toContain('"why":"working files"');
  expect((await world.portolan(['gc', '--json'])).out).toContain('"why":"size"');
  expect(existsSync(folder(run))).toBe(true);
  await world.worker.stop();
  await world.worker.start(0);
  await expect.poll(() => existsSync(folder(run))).toBe(false);
});
