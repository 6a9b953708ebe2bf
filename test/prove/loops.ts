import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import { number } from '../../text/units.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { historiesOf } from './support-histories.ts';
import { heapEnv, heapMb, sampleMemory } from './support-memory.ts';

/** Rows of the loop (`--rounds 0.05` goes over a twentieth), kills of its worker, and rows at a time. */
const size = { rows: 1_000_000, kills: 6, parallel: 8 };

const api = new URL('../../index.ts', import.meta.url).href;

/** Writes down each row that it is done for, where no journal of ours sees it. */
const step = `import { appendFileSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'prove.mark',
  input: z.strictObject({ file: z.string(), id: z.int() }),
  output: z.object({ twice: z.int() }),
  effect: 'idempotent',
  run({ file, id }) {
    appendFileSync(file, id + '\\n');
    return { twice: 2 * id };
  },
});
`;

const pipeline = (table: string, file: string): string => `
name: rows
steps:
  all:
    forEach: { rows: ${table}, key: id, as: row, parallel: ${size.parallel} }
    steps:
      mark: { use: prove.mark, when: "\${{ row.id >= 0 }}", with: { file: ${file}, id: "\${{ row.id }}" } }
    outputs: { id: "\${{ row.id }}", twice: "\${{ steps.?mark.twice.orValue(-1) }}" }
outputs: { done: "\${{ steps.all.done }}", results: "\${{ steps.all.results }}" }
`;

async function tableOf(world: World, rows: number): Promise<string> {
  const path = join(world.dir, 'data', `rows-${rows}.csv`);
  await mkdir(join(world.dir, 'data'), { recursive: true });
  const file = createWriteStream(path);
  file.write('id,name,text\n');
  for (let id = 0; id < rows; id++)
    if (!file.write(`${id},row ${id},some words about row ${id}\n`)) await new Promise<void>((resolve) => file.once('drain', resolve));
  file.end();
  await finished(file);
  return path;
}

/** How often each row was done: how many never, and how many more than once. */
async function marks(file: string, rows: number): Promise<{ never: number; twice: number }> {
  const times = new Uint8Array(rows);
  for await (const id of createInterface(createReadStream(file))) if (id !== '') times[Number(id)]!++;
  return { never: times.filter((count) => count === 0).length, twice: times.filter((count) => count > 1).length };
}

type Loop = { rows: number; kills: number; heapFile: string; without?: boolean };

/** A loop over so many rows, whose worker is killed so often in between; `without`: the journals are lost with it. */
async function loop(world: World, { rows, kills, heapFile, without = false }: Loop, note: (text: string) => void) {
  const file = join(world.dir, `marks-${rows}-${kills}`);
  const table = await tableOf(world, rows);
  const bytesOfRow = (await stat(table)).size / rows;
  let memory = sampleMemory(world.worker.pid());
  const begun = performance.now();
  const run = await world.start(pipeline(table, file));
  const peaks: { worker: number; children: number; held: number }[] = [];
  const measure = async (): Promise<void> => {
    const held = await heapMb(world.worker.pid(), heapFile);
    peaks.push({ ...(await memory.stop()), held });
  };
  for (let kill = 1; kill <= kills; kill++) {
    const from = (rows * kill) / (kills + 1);
    // Ids are about as long as their number: what has been written says how many rows were done.
    while (((await stat(file).catch(() => undefined))?.size ?? 0) < from * String(rows).length) await sleep(20);
    await measure();
    await world.worker.kill();
    if (without) await rm(world.store(run).path('intents'), { recursive: true, force: true });
    await world.worker.start(0);
    memory = sampleMemory(world.worker.pid());
  }
  const { view } = await world.ended(run);
  await measure();
  const seconds = (performance.now() - begun) / 1_000;
  const { workflowId, firstRunId: runId = '' } = await world.locate(run);
  const history = await historiesOf(world, { handle: world.client.workflow.getHandle(workflowId), runId });
  const largest = {
    worker: Math.max(...peaks.map((each) => each.worker)),
    children: Math.max(...peaks.map((each) => each.children)),
    held: Math.max(...peaks.map((each) => each.held)),
  };
  note(
    `${number(rows)} rows of ${Math.round(bytesOfRow)} bytes, ${kills} kills: ${view.state} in ${seconds.toFixed(0)} s, ${history.events} events, ${number(history.bytes)} bytes in ${history.executions} executions; a worker held ${largest.held.toFixed(0)} MB, and had ${largest.worker} MB at most, a child ${largest.children} MB`,
  );
  return { view, history, largest, ...(await marks(file, rows)) };
}

export const proof: Proof = {
  name: 'loops',
  sets: ['time'],
  what: `a loop over ${number(size.rows)} rows with ${size.kills} kills: no event for a row, a small history, flat memory, every row done, and only those under way at a kill done again`,
  async run({ note, rounds }) {
    await using bundle = await createBundle();
    const heapFile = join(dirname(bundle.path), 'heap');
    await using world = await createWorld({ bundle: bundle.path, env: heapEnv(heapFile) });
    await world.write('steps/mark.mts', step);
    await world.worker.stop();
    await world.worker.start(0);
    const rows = Math.round(size.rows * rounds);
    const small = await loop(world, { rows: Math.min(Math.round(rows / 10), 20_000), kills: 1, heapFile }, note);
    const { view, history, largest, never, twice } = await loop(world, { rows, kills: size.kills, heapFile }, note);
    const control = await loop(world, { rows: Math.min(20_000, rows), kills: 2, heapFile, without: true }, note);
    const perThousand = (1_000 * history.events) / rows;
    const allowed = size.kills * size.parallel;
    return [
      line(
        'the run',
        `${view.state}, ${JSON.stringify(view.outputs?.['done'])} rows done`,
        `done, ${rows}`,
        view.state === 'done' && view.outputs?.['done'] === rows,
      ),
      line('rows that were not done', never, '0', never === 0),
      line('rows that were done again', twice, `≤ ${allowed}: those under way at a kill`, twice <= allowed),
      line('events for a thousand rows', perThousand.toFixed(2), '≤ 8', perThousand <= 8),
      line('history', `${number(history.bytes)} bytes`, '< 2,000,000', history.bytes < 2_000_000),
      line(
        'what a worker holds once its garbage is collected, of that with few rows',
        `${largest.held.toFixed(0)} MB of ${small.largest.held.toFixed(0)} MB`,
        '≤ 1.25 × and 8 MB',
        largest.held <= 1.25 * small.largest.held + 8,
      ),
      // When V8 collects is its own affair: after 20,000 rows none of its heaps has grown to where it stays.
      line('peak memory of a worker', `${largest.worker} MB of ${small.largest.worker} MB`, '≤ 1,536 MB', largest.worker <= 1_536),
      line('peak memory of a child', `${largest.children} MB of ${small.largest.children} MB`, '≤ 1,024 MB', largest.children <= 1_024),
      line(
        'events of one activity for each row, by counting',
        number(3 * rows),
        '> 51,200, where the server ends a run',
        3 * rows > 51_200 || rounds < 1,
      ),
      line(
        'control, the journals lost at each kill: rows done again',
        control.twice,
        `> ${2 * size.parallel}`,
        control.twice > 2 * size.parallel,
      ),
    ];
  },
};
