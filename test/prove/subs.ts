import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import { withValues } from '../../runs/values.ts';
import { watchRun } from '../../runs/watch.ts';
import type { RunView } from '../../workflows/messages.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';

const atOnce = 20;
const kills = 10;

/** Leaves a mark with the id of its run: an item that two runs have done has two. */
const marks = (index: string, folder: string): string => `import { writeFileSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(index)};
export default defineStep({
  name: 'prove.mark',
  input: z.strictObject({ item: z.int(), run: z.string() }),
  output: z.object({ item: z.int() }),
  effect: 'idempotent',
  run({ item, run }) {
    writeFileSync(${JSON.stringify(folder)} + '/' + item + ' ' + run, '');
    return { item };
  },
});
`;

const one = `name: one
params: { item: { type: integer } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "sub-\${{ params.item }}" } }
  mark: { use: prove.mark, needs: [dataset], with: { item: "\${{ params.item }}", run: "\${{ run.id }}" } }
outputs: { item: "\${{ steps.mark.item }}" }
`;

const all = (count: number): string => `name: all
concurrency: null
steps:
  each:
    forEach: { items: ${JSON.stringify(Array.from({ length: count }, (_, at) => at))}, parallel: ${atOnce} }
    steps: { one: { use: ./one.yaml, with: { item: "\${{ item }}" } } }
    outputs: { item: "\${{ steps.one.item }}" }
outputs: { rows: "\${{ steps.each.rows }}" }
`;

type Done = { view: RunView; killed: number; executions: number; marked: Map<string, number>; runs: number };

/** Runs the loop to its end; a worker is killed each time that so many further turns are done. */
async function loop(world: World, folder: string, count: number, wanted: number): Promise<Done> {
  await mkdir(folder, { recursive: true });
  await world.write('steps/mark.mts', marks(new URL('../../index.ts', import.meta.url).href, folder));
  await world.write('pipelines/one.yaml', one);
  for (const index of [0, 1]) {
    await world.worker.stop(index);
    await world.worker.start(index);
  }
  const run = await world.startFile(await world.write('pipelines/all.yaml', all(count)));
  let killed = 0;
  let view: RunView | undefined;
  for await (const seen of watchRun(world.place, await world.locate(run), { minMs: 100 })) {
    view = seen.view;
    if (seen.source === 'result') break;
    const turns = view.steps[0]?.loop?.done ?? 0;
    if (killed < wanted && turns >= ((killed + 0.5) * count) / wanted) {
      await world.worker.kill(killed % 2);
      await world.worker.start(killed % 2);
      killed++;
    }
  }
  const marked = new Map<string, number>();
  for (const name of await readdir(folder)) {
    const [item] = name.split(' ') as [string];
    marked.set(item, (marked.get(item) ?? 0) + 1);
  }
  const begun = new Set<string>();
  for await (const info of world.client.workflow.list({ query: `WorkflowType = 'runPipelineV1'` }))
    if (info.workflowId.startsWith(`${run}.`)) begun.add(info.workflowId);
  return { view: view!, killed, executions: (await world.histories(run)).length, marked, runs: begun.size };
}

const twice = ({ marked }: Done): number => [...marked.values()].filter((times) => times > 1).length;

/** A world on a server that suggests to continue as new after so many events. */
async function impatient(
  bundle: string,
  events: number,
  use: (world: World, dir: string) => Promise<Done>,
): Promise<Done & { repeated: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-subs-'));
  const { path: binary } = await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), report: () => undefined });
  const server = await startTemporal({ dir, binary, headless: true, settings: { 'limit.historyCount.suggestContinueAsNew': events } });
  try {
    await using world = await createWorld({ temporal: server.address, bundle, workers: 2 });
    const done = await use(world, dir);
    return { ...done, repeated: (await world.control.journal()).repeated.length };
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

export const proof: Proof = {
  name: 'subs',
  sets: ['time'],
  what: `a loop of 200 pipelines, ${atOnce} at a time, through ${kills} kills and several executions: each is run once`,
  async run({ note, rounds }): Promise<Line[]> {
    const count = 200 * rounds;
    await using bundle = await createBundle();
    let counted = 0;
    const done = await impatient(bundle.path, 300, async (world, dir) => {
      const found = await loop(world, join(dir, 'marks'), count, kills);
      // The same pipelines by a second run above leave second marks.
      const again = await loop(world, join(dir, 'marks'), atOnce, 0);
      counted = twice(again);
      return found;
    });
    const { view, killed, executions, marked, runs, repeated } = done;
    note(`${count} pipelines, ${killed} kills: ${view.state} ${view.error?.message ?? ''}`);
    const { rows } = (await withValues(view.outputs ?? {})) as { rows?: { item: number }[] };
    const inOrder = (rows ?? []).filter(({ item }, at) => item === at).length;
    return [
      line(`the loop, and its kills`, `${view.state}, ${killed}`, `done, ${kills}`, view.state === 'done' && killed === kills),
      line('executions of the run above', executions, '≥ 3', executions >= 3),
      line(
        `pipelines that were run; more than once`,
        `${marked.size}, ${twice(done)}`,
        `${count}, 0`,
        marked.size === count && twice(done) === 0,
      ),
      line('runs that were begun', runs, String(count), runs === count),
      line('rows of the loop in their places', inOrder, String(count), inOrder === count && rows?.length === count),
      line('effects that the service had twice', repeated, '0', repeated === 0),
      line(`control, ${atOnce} of the pipelines by a second run above: counted as run twice`, counted, String(atOnce), counted === atOnce),
    ];
  },
};
