import { proxyActivities } from '@temporalio/workflow';
import type { activities } from './temporal.ts';
import type { Job } from './api.ts';

const { ensureDataset, appendRows, createMap, awaitMap, selectAll, tagIds } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '3s',
  retry: { initialInterval: '500ms', maximumInterval: '10s', nonRetryableErrorTypes: ['Refused'] },
});

const chunk = 50_000;

/** Dataset, rows in chunks, map, tag in chunks. */
export async function ingest(job: Job, rows: number): Promise<number> {
  const dataset = await ensureDataset(job);
  const starts = Array.from({ length: Math.ceil(rows / chunk) }, (_, at) => at * chunk);
  await Promise.all(starts.map((from) => appendRows(job, dataset, from, Math.min(rows, from + chunk))));
  await createMap(job, dataset);
  const projection = await awaitMap(job, dataset);
  const { file, count } = await selectAll(job, projection);
  const parts = Array.from({ length: Math.ceil(count / chunk) }, (_, at) => at * chunk);
  const tagged = await Promise.all(parts.map((from) => tagIds(job, projection, file, from, Math.min(count, from + chunk))));
  return tagged.reduce((sum, each) => sum + each, 0);
}
