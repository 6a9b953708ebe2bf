import { createBundle } from '../test/prove/support-bundle.ts';
import { line } from '../test/prove/proof.ts';
import { createStack, type Stack } from '../test/support/stack.ts';
import { inPairs, type Bench } from './bench.ts';
import { concurrency, flightsOf, ingestByRun, type ScriptInput, type ScriptOutcome } from './support-ingest.ts';
import { runScript } from './support-process.ts';

const rows = 1_000_000;
const most = 1.1;

/** A new dataset for one measurement; it is gone afterwards, so that the tenth finds the service as the first did. */
async function withDataset(stack: Stack, use: (id: string) => Promise<number>): Promise<number> {
  const { organizations } = await stack.api.user.get({});
  const { project_id } = await stack.api.projects.create({
    organization_id: organizations[0]!.organization_id,
    project_name: 'ingest',
    unique_id_field: 'id',
  });
  const seconds = await use(project_id);
  const { total_datums_in_project: there } = await stack.api.projects.get({ project_id });
  if (there !== rows) throw new Error(`the dataset has ${there} rows, not ${rows}`);
  await stack.api.projects.remove({ project_id });
  return seconds;
}

export const bench: Bench = {
  name: 'ingest-1m',
  what: `seconds for ${rows} rows by a run of dataset.append, against a straight script with the same reading, client, service and ${concurrency} calls under way`,
  async run({ note, pairs }) {
    await using source = await flightsOf(rows);
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const input = (dataset: string): ScriptInput => ({
      url: stack.url,
      token: stack.adminKeys.maps,
      file: source.file,
      dataset,
      idField: 'id',
      concurrency,
    });
    const byRun = (): Promise<number> => withDataset(stack, async (id) => (await ingestByRun(stack, source.file, id, 'local')).seconds);
    // A worker lives for many runs: its first one, in which its code is compiled, is reported by itself.
    const first = await byRun();
    const { ours, baseline, ratio } = await inPairs(
      pairs,
      byRun,
      () => withDataset(stack, async (id) => (await runScript<ScriptOutcome>('scripts/ingest', input(id))).seconds),
      note,
    );
    const { summary } = await stack.control.journal();
    return {
      lines: [
        line(
          'wall time, run against script',
          `${ratio.toFixed(3)} (${ours.toFixed(1)} s against ${baseline.toFixed(1)} s; the worker's first run ${first.toFixed(1)} s)`,
          `≤ ${most}`,
          ratio <= most,
        ),
        line("effects in the service's journal that were repeated", summary.repeated, '0', summary.repeated === 0),
      ],
      figures: { ratio, seconds: ours, firstRunSeconds: first, scriptSeconds: baseline, rowsPerSecond: rows / ours },
    };
  },
};
