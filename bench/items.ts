import { randomUUID } from 'node:crypto';
import { createBundle } from '../test/prove/support-bundle.ts';
import { line } from '../test/prove/proof.ts';
import { outputOf, startText } from '../test/prove/support-run.ts';
import { createStack } from '../test/support/stack.ts';
import { inPairs, type Bench } from './bench.ts';
import { installStep } from './support-own-steps.ts';
import { runScript, startServer } from './support-process.ts';
import type { PostInput } from './scripts/workflows.ts';

const items = 10_000;
const window = 4;
const atOnce = 8;
const least = 0.6;

const sweep = `export default defineSweep({
  name: 'bench.post',
  input: z.strictObject({ url: z.string(), items: z.int() }),
  effect: 'idempotent',
  itemSeconds: 0.001,
  atOnce: ${atOnce},
  window: ${window},
  *items({ url, items }) {
    for (let id = 0; id < items; id++) yield { id, url };
  },
  async each({ id, url }) {
    const reply = await fetch(\`\${url}/items/\${id}\`, { method: 'POST', body: JSON.stringify({ id }) });
    if (!reply.ok) throw Object.assign(new Error(\`item \${id}: \${reply.status}\`), { retryable: true });
    await reply.arrayBuffer();
  },
});
`;
const pipeline = `
name: items
params: { url: { type: string } }
steps:
  post: { use: bench.post, with: { url: "\${{ params.url }}", items: ${items} } }
`;

export const bench: Bench = {
  name: 'items',
  what: `items per second of an own sweep, ${items} POSTs of 1 ms with ${window} chunks of ${atOnce} under way, against a p-limit script with ${window * atOnce} at a time`,
  async run({ note, pairs }) {
    await using server = await startServer<{ url: string }>('scripts/slow-server', { ms: 1 });
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const steps = await installStep(stack, 'bench.post', sweep);
    const ours = async (): Promise<number> => {
      const started = performance.now();
      const run = await startText(stack, pipeline, { url: server.url }, { steps });
      const { done } = outputOf(await run.ended(120_000), 'post');
      if (done !== items) throw new Error(`${done} of ${items} items are done`);
      return items / ((performance.now() - started) / 1_000);
    };
    const script = async (): Promise<number> =>
      items / (await runScript<{ seconds: number }>('scripts/post-items', { url: server.url, items, atOnce: window * atOnce })).seconds;
    await ours();
    const measured = await inPairs(pairs, ours, script, note);

    const taskQueue = `hand-${randomUUID()}`;
    await using hand = await startServer<{ ready: true }>('scripts/worker', { address: stack.address, taskQueue });
    void hand;
    const byHand = async (input: Omit<PostInput, 'url'>): Promise<number> => {
      const started = performance.now();
      await stack.client.workflow.execute('postInChunks', { taskQueue, workflowId: randomUUID(), args: [{ url: server.url, ...input }] });
      return input.items / ((performance.now() - started) / 1_000);
    };
    await byHand({ items: 100, size: 100, window, atOnce });
    const chunked = await byHand({ items, size: 100, window, atOnce });
    const single = await byHand({ items: 1_000, size: 1, window: window * atOnce, atOnce: 1 });
    const share = (rate: number): string => `${(rate / measured.baseline).toFixed(2)} (${rate.toFixed(0)} items/s)`;
    return {
      lines: [
        line(
          'items per second, sweep against script',
          `${measured.ratio.toFixed(2)} (${measured.ours.toFixed(0)} against ${measured.baseline.toFixed(0)})`,
          `≥ ${least}`,
          measured.ratio >= least,
        ),
        line('for comparison: hand-written Temporal in chunks of 100, against the script', share(chunked), 'shown', true),
        line('for comparison: one activity for each of 1,000 items, against the script', share(single), 'shown', true),
      ],
      figures: { ratio: measured.ratio, itemsPerSecond: measured.ours, scriptItemsPerSecond: measured.baseline, chunked, single },
    };
  },
};
