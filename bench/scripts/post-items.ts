import pLimit from 'p-limit';
import { answer, scriptInput } from '../support-process.ts';

// The script: every item is posted once, so many at a time; nothing is kept.
const { url, items, atOnce } = scriptInput<{ url: string; items: number; atOnce: number }>();
const post = async (id: number): Promise<void> => {
  const reply = await fetch(`${url}/items/${id}`, { method: 'POST', body: JSON.stringify({ id }) });
  if (!reply.ok) throw new Error(`item ${id}: ${reply.status}`);
  await reply.arrayBuffer();
};
await post(-1);
const started = performance.now();
await pLimit(atOnce).map(
  Array.from({ length: items }, (_, id) => id),
  post,
);
answer({ seconds: (performance.now() - started) / 1_000 });
