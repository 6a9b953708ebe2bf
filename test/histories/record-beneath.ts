import { lockIdOf } from '../../pipelines/lock.ts';
import { newSlug } from '../support/world.ts';
import type { Recording } from './recording.ts';

const locked = `
name: locked
params: { key: { type: slug } }
concurrency: "\${{ params.key }}"
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
`;
const holding = (key: string): string => `
name: holding
concurrency: ${key}
steps:
  turns:
    forEach: { items: [1, 2], as: n, parallel: 2 }
    steps: { one: { use: ./locked.yaml, with: { key: ${key} } } }
`;

/** A run that holds a key, and two beneath it that want the same: one holds it beneath that run, and the other waits for it. */
export const beneathKey: Recording = async (world) => {
  const key = newSlug('beneath');
  await world.write('pipelines/locked.yaml', locked);
  const run = await world.start(holding(key));
  const both = [0, 1].map((turn) => `${run}.turns-${turn}-one`);
  const waits = await Promise.any(both.map(async (child) => (await world.until(child, ({ view }) => view.state === 'queued'), child)));
  const holds = both.find((child) => child !== waits)!;
  for (const child of [holds, waits]) {
    await world.until(child, ({ view }) => view.state === 'approval');
    await world.portolan(['approve', child, 'ask', '--note', 'recorded']);
  }
  await world.ended(run);
  return { run, beside: { beneath: holds, 'queued-beneath': waits, 'lock-beneath': lockIdOf(world.taskQueue, `${key} beneath ${run}`) } };
};
