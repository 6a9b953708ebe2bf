import type { PendingActivity } from '../../runs/pending.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import type { RunView } from '../../workflows/messages.ts';

export const start = Date.parse('2026-11-21T12:00:00.000Z');

/** An instant so many milliseconds after the start of the run. */
export const at = (ms: number): string => new Date(start + ms).toISOString();

/** A run that a worker described. */
export const snapshotOf = (view: Partial<RunView>, pending: PendingActivity[] = [], endedAt?: string): RunSnapshot => ({
  view: { run: 'ingest-2026-11-21-a7f3', pipeline: 'ingest', state: 'running', steps: [], ...view },
  source: endedAt ? 'result' : 'worker',
  workflowId: 'portolan/local/movies',
  runId: '0191d9a0-0000-7000-8000-000000000000',
  store: 'file:///tmp/runs/ingest-2026-11-21-a7f3',
  startedBy: 'ada@ship',
  connections: { maps: 'local' },
  startedAt: at(0),
  ...(endedAt && { endedAt }),
  historyEvents: 42,
  pending,
});
