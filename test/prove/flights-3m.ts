import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { residentBytes } from '../../child/host/watchdog.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { bounds } from './support-bounds.ts';
import { createBundle } from './support-bundle.ts';
import { flightsWhere } from './support-flights.ts';
import { historiesOf } from './support-histories.ts';
import { sampleMemory } from './support-memory.ts';
import { controls } from './support-flights-control.ts';
import { sampleProgress } from './support-progress.ts';
import { outputOf, startText, type StartedRun } from './support-run.ts';
import { askFiles } from './support-table.ts';

const source = fileURLToPath(new URL('../../node_modules/vega-datasets/data/flights-3m.parquet', import.meta.url));
const condition = { from: 0, to: 400 };

type Count = { rows: number; different: number; near: number };

const countSource = (): Promise<Count> =>
  askFiles(`select count(*)::int as rows, (select count(*) from (select distinct * from '${source}'))::int as different,
    count(*) filter (distance between ${condition.from} and ${condition.to})::int as near from '${source}'`);

/** What the ledger holds of a step: rows, and ids that differ. */
const countLedger = (run: StartedRun, step: string, status: string): Promise<{ rows: number; ids: number }> =>
  askFiles(
    `select count(*)::int as rows, count(distinct item)::int as ids from '${run.store.path('items', step)}/*.parquet' where status = '${status}'`,
  );

/** Points whose tag was really set by the run, and of the ledger's ids those that have it, as a removal of the tag from them shows. */
async function countTagged(
  stack: Stack,
  run: StartedRun,
  map: string,
  uri: string,
  count: number,
): Promise<{ set: number; removed: number }> {
  const changed = async (act: string): Promise<number> => {
    const { rows } = await stack.control.journal();
    return rows.filter((row) => row.subject === `tag/${map}/near` && row.act === act).reduce((sum, row) => sum + row.changed, 0);
  };
  // The first call made the tag too, and counted it.
  const set = (await changed('add')) - 1;
  const perCall = 10_000;
  for (let from = 0; from < count; from += perCall) {
    const ids = await run.store.readIds(uri, from, from + perCall);
    await stack.api.tags.update({ projection_id: map, tag_name: 'near', ids, operation: 'remove', id_field: 'id' });
  }
  return { set, removed: await changed('remove') };
}

export const proof: Proof = {
  name: 'flights-3m',
  sets: ['fire'],
  what: '3,000,000 flights appended, mapped without text, 1,100,127 of them tagged: nothing lost, history, payloads and memory small, progress moving',
  async run({ note }) {
    const counted = await countSource();
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const idle = { worker: await settledMb(stack.worker.pid()), service: await settledMb(stack.service.pid) };
    const memory = { worker: sampleMemory(stack.worker.pid()), service: sampleMemory(stack.service.pid) };
    const run = await startText(stack, flightsWhere('near', condition), { source, dataset: 'flights' });
    const progress = sampleProgress(stack, run);
    const view = await run.ended(1_800_000);
    const moved = await progress.stop();
    const [worker, service] = await Promise.all([memory.worker.stop(), memory.service.stop()]);
    const seconds = view.steps.map(
      ({ id, startedAt, endedAt }) => `${id} ${((Date.parse(endedAt!) - Date.parse(startedAt!)) / 1_000).toFixed(1)}`,
    );
    note(`seconds by step: ${seconds.join(', ')}`);
    const { points, count } = outputOf(view, 'far');
    const histories = await historiesOf(stack, run);
    const rows = await countLedger(run, 'rows', 'added');
    const tag = await countLedger(run, 'tag', 'tagged');
    const project = await stack.api.projects.get({ project_id: outputOf(view, 'dataset')['id'] });
    const { summary } = await stack.control.journal();
    const tagged = await countTagged(stack, run, outputOf(view, 'map')['id'], points.uri, count);
    return [
      line(
        'rows of the source, the ledger, the service',
        `${counted.rows}, ${rows.rows}, ${project.total_datums_in_project}`,
        '3,000,000 each',
        [counted.rows, rows.rows, project.total_datums_in_project].every((each) => each === 3_000_000),
      ),
      line(
        'identical rows kept: rows that repeat another, ids that differ',
        `${counted.rows - counted.different}, ${rows.ids}`,
        '191, 3,000,000',
        counted.rows - counted.different === 191 && rows.ids === 3_000_000,
      ),
      line(
        'points of distance 0 to 400: in the source, selected, in the ledger as tagged, tagged by the journal, found tagged by removal',
        [counted.near, count, tag.ids, tagged.set, tagged.removed].join(', '),
        '1,100,127 each',
        [counted.near, count, tag.rows, tag.ids, tagged.set, tagged.removed].every((each) => each === 1_100_127),
      ),
      line('journal', `${summary.effects} effects, repeated ${summary.repeated}`, 'repeated 0', summary.repeated === 0),
      ...Object.entries(histories.sweeps).map(([step, { events, chunks }]) =>
        line(
          `sweep '${step}'`,
          `${events} events, ${chunks} chunk activities`,
          `≤ ${bounds.events} events, ≥ ${bounds.leastChunks} chunks`,
          events <= bounds.events && chunks >= bounds.leastChunks,
        ),
      ),
      line(
        'history',
        `${histories.bytes} bytes in ${histories.executions} execution${histories.executions === 1 ? '' : 's'}, ${histories.events} events`,
        `≤ ${bounds.historyBytes} bytes, historySizeBytes summed over the chain`,
        histories.bytes <= bounds.historyBytes,
      ),
      line(
        'largest payload but the plan',
        `${histories.largest.bytes} bytes (${histories.largest.where}); plan ${histories.plan}`,
        `≤ ${bounds.payloadBytes}`,
        histories.largest.bytes <= bounds.payloadBytes,
      ),
      line(
        'longest time without progress',
        `${moved.longest.seconds.toFixed(2)} s during ${moved.longest.during}, ${moved.moves} moves in ${moved.looks} looks`,
        `≤ ${bounds.gapSeconds} s`,
        moved.longest.seconds <= bounds.gapSeconds,
      ),
      growth('the worker, without its children', idle.worker, worker.worker, bounds.workerMb, ` (largest child ${worker.children} MB)`),
      growth(
        'the service',
        idle.service,
        service.worker,
        bounds.serviceMb,
        service.children > 0 ? ` (largest child ${service.children} MB)` : '',
      ),
      ...(await controls(stack)),
    ];
  },
};

/** Resident MB of a process that has loaded what it loads at its start: two seconds without growth. */
async function settledMb(pid: number): Promise<number> {
  const look = async (): Promise<number> => ((await residentBytes(pid)) ?? 0) / 2 ** 20;
  let most = await look();
  for (let still = 0, looks = 0; still < 8 && looks < 120; looks++) {
    await delay(250);
    const now = await look();
    still = now > most + 1 ? 0 : still + 1;
    most = Math.max(most, now);
  }
  return most;
}

const growth = (what: string, idle: number, peak: number, bound: number, more: string): Line =>
  line(
    `memory growth of ${what}`,
    `${(peak - idle).toFixed(0)} MB: ${idle.toFixed(0)} after its start, ${peak.toFixed(0)} at its peak${more}`,
    `≤ ${bound} MB`,
    peak > 0 && peak - idle <= bound,
  );
