import { proxyActivities } from '@temporalio/workflow';
import type { activities } from './activities.ts';

const { postItems, add } = proxyActivities<typeof activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '3s',
  retry: { initialInterval: '250ms' },
});

/** Items in chunks, so many chunks under way; a chunk's return says what was done. */
export async function postInChunks({ url, items, size, window, atOnce }: PostInput): Promise<number> {
  const chunks = Array.from({ length: Math.ceil(items / size) }, (_, at) => at);
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      const first = chunk * size;
      const ids = Array.from({ length: Math.min(size, items - first) }, (_, at) => first + at);
      done += await postItems({ url, ids, atOnce });
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
  return done;
}

export type PostInput = { url: string; items: number; size: number; window: number; atOnce: number };

/** Three activities, one after the other. */
export async function addThree(n: number): Promise<{ n: number }> {
  const one = await add({ n });
  const two = await add(one);
  return add(two);
}
