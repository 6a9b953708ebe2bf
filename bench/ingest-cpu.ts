import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBundle } from '../test/prove/support-bundle.ts';
import { line } from '../test/prove/proof.ts';
import { createStack } from '../test/support/stack.ts';
import { inPairs, type Bench } from './bench.ts';
import { concurrency, flightsOf, ingestByRun, type ScriptInput, type ScriptOutcome } from './support-ingest.ts';
import { cpuSeconds, runScript, startServer } from './support-process.ts';

const rows = 1_000_000;
const most = 2;

export const bench: Bench = {
  name: 'ingest-cpu',
  what: `processor time of the worker for ${rows} rows sent to a receiver that answers at once, against the straight script's; both without the child that reads`,
  async run({ note, pairs }) {
    await using source = await flightsOf(rows);
    await using bundle = await createBundle();
    await using sink = await startServer<{ url: string }>('scripts/sink', { rows });
    await using stack = await createStack({ bundle: bundle.path });
    await writeFile(
      join(stack.dir, 'portolan.config.mts'),
      `export default { connections: { sink: { maps: { url: ${JSON.stringify(sink.url)}, secret: { env: 'PORTOLAN_BENCH_KEY' } } } } };\n`,
    );
    process.env['PORTOLAN_BENCH_KEY'] = 'no-secret';
    await stack.worker.stop();
    await stack.worker.start(0);
    const seconds: number[] = [];
    const ours = async (): Promise<number> => {
      const before = cpuSeconds(stack.worker.pid());
      seconds.push((await ingestByRun(stack, source.file, randomUUID(), 'sink')).seconds);
      return cpuSeconds(stack.worker.pid()) - before;
    };
    // A worker lives for many runs: its first one, in which its code is compiled, is reported by itself.
    const first = await ours();
    const measured = await inPairs(
      pairs,
      ours,
      async () => {
        const input: ScriptInput = { url: sink.url, token: 'none', file: source.file, dataset: randomUUID(), idField: 'id', concurrency };
        return (await runScript<ScriptOutcome>('scripts/ingest', input)).cpu;
      },
      note,
    );
    const { ours: own, baseline, ratio } = measured;
    return {
      lines: [
        line(
          'processor time, worker against script',
          `${ratio.toFixed(2)} (${own.toFixed(2)} s against ${baseline.toFixed(2)} s for ${rows} rows; the worker's first run ${first.toFixed(2)} s)`,
          `≤ ${most}`,
          ratio <= most,
        ),
      ],
      figures: { ratio, workerCpuSeconds: own, firstRunCpuSeconds: first, scriptCpuSeconds: baseline, seconds: Math.min(...seconds) },
    };
  },
};
