import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { untilSeen } from '../../activities/frame/until-seen.ts';
import { readsWithin } from '../../pipelines/steps/looks.ts';

test.each([0, 60])('what lags behind a write is read as often where a read takes %s ms', async (readMs) => {
  const lagMs = 50;
  const context = { connection: () => ({ lagMs }), signal: new AbortController().signal };
  let reads = 0;
  const read = async (): Promise<number> => {
    await sleep(readMs);
    return (reads += 1);
  };
  expect(await untilSeen(context, read, () => false)).toBe(readsWithin(lagMs));
  reads = 0;
  expect(await untilSeen(context, read, (seen) => seen === 2)).toBe(2);
});
