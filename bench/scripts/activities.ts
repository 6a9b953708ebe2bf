import { heartbeat } from '@temporalio/activity';
import pLimit from 'p-limit';

export const activities = {
  /** Posts items, so many at a time; the cursor is in the heartbeat. */
  async postItems({ url, ids, atOnce }: { url: string; ids: number[]; atOnce: number }): Promise<number> {
    let done = 0;
    await pLimit(atOnce).map(ids, async (id) => {
      const reply = await fetch(`${url}/items/${id}`, { method: 'POST', body: JSON.stringify({ id }) });
      if (!reply.ok) throw new Error(`item ${id}: ${reply.status}`);
      await reply.arrayBuffer();
      heartbeat(++done);
    });
    return done;
  },
  add: async ({ n }: { n: number }): Promise<{ n: number }> => ({ n: n + 1 }),
};
