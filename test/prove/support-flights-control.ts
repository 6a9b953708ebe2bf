import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import { signal } from '../../workflows/messages.ts';
import type { Stack } from '../support/stack.ts';
import { bounds } from './support-bounds.ts';
import { line, type Line } from './proof.ts';
import { historiesOf } from './support-histories.ts';
import { sampleMemory } from './support-memory.ts';
import { sampleProgress } from './support-progress.ts';
import { startText } from './support-run.ts';

const items = 900;

const sweep = `import { defineSweep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineSweep({
  name: 'prove.one',
  input: z.strictObject({ items: z.int() }),
  effect: 'safe',
  chunk: 1,
  window: 1,
  items: ({ items }) => Array.from({ length: items }, (_, id) => ({ id })),
  each: () => undefined,
});
`;
const pipeline = `
name: one-by-one
steps:
  first: { use: prove.one, with: { items: 1 } }
  all: { use: prove.one, with: { items: ${items} }, needs: [first] }
`;

/** The same counters where the bounds do not hold: one item a chunk, a long note in a signal, a paused run, a process that grows. */
export async function controls(stack: Stack): Promise<Line[]> {
  const file = join(stack.dir, 'steps', 'one.mts');
  await mkdir(join(stack.dir, 'steps'), { recursive: true });
  await writeFile(file, sweep);
  await stack.worker.stop();
  await stack.worker.start(0);
  const steps = Object.fromEntries((await loadOwnSteps([file])).map((step) => [step.name, step]));
  const run = await startText(stack, pipeline, {}, { steps });
  await run.handle.signal(signal.pause, { who: 'prove', note: 'x'.repeat(bounds.payloadBytes) });
  const progress = sampleProgress(stack, run);
  await new Promise((resolve) => setTimeout(resolve, (bounds.gapSeconds + 1) * 1_000));
  await run.handle.signal(signal.resume);
  await run.ended(300_000);
  const moved = await progress.stop();
  const histories = await historiesOf(stack, run);
  const sweeps = histories.sweeps['all']!;
  const grown = await growthOfHog(bounds.workerMb + 100);
  return [
    line(
      `control, one item a chunk: events of ${sweeps.chunks} chunks`,
      sweeps.events,
      `> ${bounds.events}`,
      sweeps.events > bounds.events,
    ),
    line(
      'control, a long note in a signal: largest payload',
      histories.largest.bytes,
      `> ${bounds.payloadBytes}`,
      histories.largest.bytes > bounds.payloadBytes,
    ),
    line(
      'control, a paused run: longest time without progress',
      `${moved.longest.seconds.toFixed(2)} s`,
      `> ${bounds.gapSeconds} s`,
      moved.longest.seconds > bounds.gapSeconds,
    ),
    line('control, a process that fills memory: growth', `${grown} MB`, `> ${bounds.workerMb} MB`, grown > bounds.workerMb),
  ];
}

async function growthOfHog(mb: number): Promise<number> {
  const code = `process.once('message', () => { globalThis.kept = Buffer.alloc(${mb} * 2 ** 20, 1); process.send('full'); }); process.send('idle')`;
  const hog = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    await once(hog, 'message');
    const before = (await sampleMemory(hog.pid!).stop()).worker;
    hog.send('fill');
    await once(hog, 'message');
    return (await sampleMemory(hog.pid!).stop()).worker - before;
  } finally {
    hog.kill('SIGKILL');
  }
}
