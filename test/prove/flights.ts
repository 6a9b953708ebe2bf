import { stat } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { createStack, type Stack } from '../support/stack.ts';
import { unlocked } from '../support/unlocked.ts';
import type { RunView } from '../../workflows/messages.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { flights, flightsFile, outcomeOf, type Outcome } from './support-flights.ts';
import { sampleMemory } from './support-memory.ts';
import { outputOf, startText, type StartedRun } from './support-run.ts';

/** Bounds: the design's 8 events per 1,000 items, and what a worker may hold of a source that it never reads whole. */
const mostEvents = 8 * 200;
const mostBytes = 2_000_000;
const mostRss = 768;

/** Rows, rows that differ from each other, and rows that the selection finds, counted in the source itself. */
async function countSource(file: string): Promise<{ rows: number; different: number; far: number }> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const source = `read_json('${file}')`;
    const reader = await connection.runAndReadAll(`
      SELECT (SELECT count(*) FROM ${source})::INTEGER AS rows,
        (SELECT count(*) FROM (SELECT DISTINCT * FROM ${source}))::INTEGER AS different,
        (SELECT count(*) FROM ${source} WHERE distance >= 400)::INTEGER AS far`);
    return reader.getRowObjectsJson()[0] as { rows: number; different: number; far: number };
  } finally {
    connection.closeSync();
  }
}

/** Takes a tag and a row away behind the run's back, and counts as before. The tag is off every point when this begins. */
async function damage(stack: Stack, run: StartedRun, view: RunView): Promise<Outcome> {
  const [map, dataset] = ['map', 'dataset'].map((step) => outputOf(view, step)['id'] as string) as [string, string];
  const [lost, ...ids] = (await run.store.readItems({ step: 'tag', status: 'tagged' })).map(({ item }) => item);
  for (let at = 0; at < ids.length; at += 10_000)
    await stack.api.tags.update({ projection_id: map, tag_name: 'far', ids: ids.slice(at, at + 10_000), operation: 'add', id_field: 'id' });
  const outcome = await outcomeOf(stack, run, view, 'flights');
  await stack.api.data.delete({ project_id: dataset, datum_ids: [lost!] });
  await stack.api.indices.update({ project_id: dataset });
  const project = await unlocked(stack.api, dataset);
  return { ...outcome, rows: project.total_datums_in_project };
}

export const proof: Proof = {
  name: 'flights',
  sets: ['shape'],
  what: '200,000 flights appended, mapped without text, a selection tagged: nothing lost, none twice, history and memory small',
  async run({ note }) {
    const file = flightsFile('200k');
    const source = await countSource(file);
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const memory = sampleMemory(stack.worker.pid());
    const run = await startText(stack, flights, { source: file, dataset: 'flights' });
    const view = await run.ended(240_000);
    const peak = await memory.stop();
    const { events } = await run.handle.fetchHistory();
    const bytes = Number((await run.handle.describe()).raw.workflowExecutionInfo?.historySizeBytes ?? Number.NaN);
    const took = view.steps.map(
      ({ id, startedAt, endedAt }) => `${id} ${((Date.parse(endedAt!) - Date.parse(startedAt!)) / 1_000).toFixed(1)}`,
    );
    note(`seconds by step: ${took.join(', ')}`);

    const made = await outcomeOf(stack, run, view, 'flights');
    const kept = await run.store.readItems({ step: 'rows', status: 'added' });
    const ids = new Set(kept.map(({ item }) => item)).size;
    const { summary } = await stack.control.journal();
    const count = events?.length ?? 0;
    const { size } = await stat(file);
    const damaged = await damage(stack, run, view);
    return [
      line(
        'rows of the source, the ledger, the service',
        `${source.rows}, ${made.added}, ${made.rows}`,
        'equal',
        source.rows === made.added && source.rows === made.rows,
      ),
      line(
        'identical rows kept: different rows of the source, different ids in the ledger',
        `${source.different}, ${ids}`,
        `fewer than ${source.rows} (or nothing is shown), ${source.rows}`,
        source.different < source.rows && ids === source.rows,
      ),
      line(
        'rows that the condition holds for, in the ledger, really tagged',
        `${source.far}, ${made.tagged}, ${made.reallyTagged}`,
        'equal',
        source.far === made.tagged && source.far === made.reallyTagged,
      ),
      line('journal', `${summary.effects} effects, repeated ${summary.repeated}`, 'repeated 0', summary.repeated === 0),
      line(
        'history',
        `${count} events, ${bytes} bytes (${((count / source.rows) * 1_000).toFixed(2)} events per 1,000 rows)`,
        `≤ ${mostEvents} events, ≤ ${mostBytes} bytes`,
        count <= mostEvents && bytes <= mostBytes,
      ),
      line(
        'memory peak',
        `worker ${peak.worker} MB, its child ${peak.children} MB; the source has ${(size / 1e6).toFixed(1)} MB`,
        `worker ≤ ${mostRss} MB`,
        peak.worker > 0 && peak.worker <= mostRss,
      ),
      line(
        'control, a tag and a row lost: tagged by the ledger and really, rows of the ledger and the service',
        `${damaged.tagged} and ${damaged.reallyTagged}, ${damaged.added} and ${damaged.rows}`,
        'one less each',
        damaged.reallyTagged === damaged.tagged - 1 && damaged.rows === damaged.added - 1,
      ),
    ];
  },
};
