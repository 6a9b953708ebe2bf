import type { StartedRun } from '../test/prove/support-run.ts';
import { outputOf, startText } from '../test/prove/support-run.ts';
import type { Stack } from '../test/support/stack.ts';

/** Bytes of one part: what public clients cut. */
export const partBytes = 16 * 1024 * 1024;
/** Parts on their way at a time, as in `dataset.upload`. */
export const inFlight = 4;

/** What the sender of raw PUTs is given: the file and the signed or plain URLs of its parts. */
export type SenderInput = { file: string; urls: string[] };
/** Seconds from the first PUT to the last answer. */
export type SenderOutcome = { seconds: number };

const pipeline = `
name: upload
params: { source: { type: path }, dataset: { type: string } }
steps:
  rows: { use: dataset.upload, with: { dataset: "\${{ params.dataset }}", source: "\${{ params.source }}", id: { column: id } } }
concurrency: null
`;

/** Uploads a file by a run, and returns the seconds of its sending: from its first chunk given out to its last returned. */
export async function uploadByRun(stack: Stack, file: string, dataset: string, connection: string): Promise<number> {
  const run = await startText(stack, pipeline, { source: file, dataset }, { connection });
  const { added, rows } = outputOf(await run.ended(900_000), 'rows') as { added: number; rows: number };
  if (added !== rows) throw new Error(`${added} of ${rows} rows were added`);
  return secondsOfChunks(run);
}

async function secondsOfChunks(run: StartedRun): Promise<number> {
  const { events } = await run.handle.fetchHistory();
  const millis = ({ eventTime }: { eventTime?: { seconds?: unknown; nanos?: number | null } | null }): number =>
    Number(eventTime!.seconds) * 1_000 + (eventTime!.nanos ?? 0) / 1e6;
  const chunks = new Set<string>();
  const times: number[] = [];
  for (const event of events ?? []) {
    const { activityTaskScheduledEventAttributes: given, activityTaskCompletedEventAttributes: returned } = event;
    if (given?.activityId?.startsWith('rows/chunk/')) chunks.add(String(event.eventId));
    else if (!chunks.has(String(returned?.scheduledEventId))) continue;
    times.push(millis(event));
  }
  return (Math.max(...times) - Math.min(...times)) / 1_000;
}
