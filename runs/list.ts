import { runsQuery, type RunMemo } from '../workflows/messages.ts';
import { readRecord, storedRuns, type RunPlace } from './find.ts';

export type RunLine = {
  run: string;
  pipeline: string;
  state: string;
  startedAt: string;
  endedAt?: string;
  startedBy: string;
  connections: { [service: string]: string };
};

/** Runs, newest first: those the cluster knows, then those of which only the folder is left (`state: 'forgotten'`). */
export const listRuns = async (place: RunPlace, { limit = 20 }: { limit?: number } = {}): Promise<RunLine[]> => {
  const lines = new Map<string, RunLine>();
  for await (const info of place.client.workflow.list({ query: runsQuery })) {
    const memo = info.memo as Partial<RunMemo> | undefined;
    if (!memo?.run) continue;
    const seen = lines.get(memo.run);
    // Executions of one chain come newest first: the first gives the state, the last the start.
    if (seen) seen.startedAt = info.startTime.toISOString();
    else if (lines.size >= limit) break;
    else {
      lines.set(memo.run, {
        run: memo.run,
        pipeline: memo.pipeline ?? '',
        state: info.status.name.toLowerCase(),
        startedAt: info.startTime.toISOString(),
        ...(info.closeTime && { endedAt: info.closeTime.toISOString() }),
        startedBy: memo.startedBy ?? '',
        connections: memo.connections ?? {},
      });
    }
  }
  for (const run of lines.size < limit ? await storedRuns(place.storeRoot) : []) {
    const record = lines.has(run) ? undefined : await readRecord(place.storeRoot, run);
    if (record)
      lines.set(run, {
        run,
        pipeline: record.pipeline,
        state: 'forgotten',
        startedAt: record.startedAt,
        startedBy: record.startedBy,
        connections: record.connections,
      });
  }
  return [...lines.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt)).slice(0, limit);
};
