import { DatabaseSync } from 'node:sqlite';
import { uptime } from '../../text/uptime.ts';

/** How the service saw one request. */
export type RequestRow = {
  /** Epoch milliseconds, to be read by people. */
  at: number;
  /** Milliseconds since the machine started: what earliness is judged by. */
  monotonic: number;
  request_id: string;
  call_id: string | null;
  process: string | null;
  operation: string;
  /** Without the query, where a signature stands. */
  path: string;
  limit_class: string;
  user: string | null;
  /** 0 where the connection was cut instead of answered. */
  status: number;
  /** Bytes of the request's body that were read. */
  bytes: number;
  /** Seconds, as the answer says. */
  retry_after: number | null;
  /** Milliseconds from arrival to the answer. */
  ms: number;
  fault: string | null;
  early: number;
  early_same_call: number;
  early_same_process: number;
};

/**
 * A request as it comes in: `at` in milliseconds since the machine started; `refusalsRead`: beginnings of the ids of the refusals that the
 * process had read when it sent the request, where it says so.
 */
type Arrival = { at: number; refusalsRead: readonly string[] | null; process: string | null; callId: string | null; limitClass: string };
/** A refusal, and until when it holds its caller. */
type Refusal = { requestId: string; answeredAt: number; until: number };

/** Millisecond timers of a client may end a wait early by this much. */
const CLOCK_SLACK_MS = 2;

const COLUMNS = [
  'at',
  'monotonic',
  'request_id',
  'call_id',
  'process',
  'operation',
  'path',
  'limit_class',
  'user',
  'status',
  'bytes',
  'retry_after',
  'ms',
  'fault',
  'early',
  'early_same_call',
  'early_same_process',
] as const;

/** Rows that are kept, and after how many more the oldest are dropped: a service that runs for months keeps its disk. */
const KEPT_ROWS = 500_000;
const SWEEP_EVERY = 10_000;

export type RequestLog = {
  /** Whether the request was sent before the end of a Retry-After that its call, or its process for this class, had been given. */
  judge(arrival: Arrival): { call: boolean; process: boolean };
  /** Appends the row; `until` is when the caller may come again, in milliseconds since the machine started. */
  write(row: RequestRow, until: number | null): void;
  rows(): RequestRow[];
  summary(): { requests: number; refused: number; early_same_call: number; early_same_process: number };
  close(): void;
};

/**
 * Log of requests, refusals and waits, the latest 500,000 of them. Waits that callers were given outlive a restart of the service.
 * A request counts against an answer only if it was sent after that answer had been read. A client that names the answers that
 * it had read is held to these: no clock but the service's own decides. One that names none is held to all that were given
 * before its request came.
 */
export const createRequestLog = (file: string, keptRows = KEPT_ROWS): RequestLog => {
  const db = new DatabaseSync(file);
  // A lost tail after a power cut would be acceptable here; kill -9 loses nothing.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS requests (seq INTEGER PRIMARY KEY, ${COLUMNS.join(', ')}, open_at);
    CREATE INDEX IF NOT EXISTS requests_open_at ON requests (open_at) WHERE open_at IS NOT NULL`);
  const insert = db.prepare(`INSERT INTO requests (${COLUMNS.join(', ')}, open_at) VALUES (${COLUMNS.map(() => '?').join(', ')}, ?)`);

  const refusalOfCall = new Map<string, Refusal>();
  const refusalsOfProcess = new Map<string, Refusal[]>();
  const remember = (row: Pick<RequestRow, 'call_id' | 'process' | 'limit_class'>, refusal: Refusal): void => {
    if (row.call_id) refusalOfCall.set(row.call_id, refusal);
    if (!row.process) return;
    const key = `${row.process} ${row.limit_class}`;
    refusalsOfProcess.set(key, [...(refusalsOfProcess.get(key) ?? []).filter(({ until }) => until > uptime() - 1_000), refusal]);
  };
  // A row from the future was written before the machine started anew.
  const open = db.prepare('SELECT * FROM requests WHERE open_at > ? AND monotonic <= ? ORDER BY seq').all(uptime(), uptime());
  for (const row of open as (RequestRow & { open_at: number })[])
    remember(row, { requestId: row.request_id, answeredAt: row.monotonic + row.ms, until: row.open_at });

  const early = ({ at, refusalsRead }: Arrival, refusal: Refusal | undefined): boolean =>
    refusal !== undefined &&
    (refusalsRead ? refusalsRead.some((id) => refusal.requestId.startsWith(id)) : at >= refusal.answeredAt) &&
    at + CLOCK_SLACK_MS < refusal.until;

  const drop = db.prepare('DELETE FROM requests WHERE seq <= (SELECT max(seq) FROM requests) - ?');
  let unswept = 0;
  const sweep = (): void => {
    unswept = 0;
    drop.run(keptRows);
    for (const [call, { until }] of refusalOfCall) if (until <= uptime()) refusalOfCall.delete(call);
    for (const [key, refusals] of refusalsOfProcess) if (refusals.every(({ until }) => until <= uptime())) refusalsOfProcess.delete(key);
  };
  sweep();

  return {
    judge(arrival) {
      const { callId, process, limitClass } = arrival;
      return {
        call: callId !== null && early(arrival, refusalOfCall.get(callId)),
        process: process !== null && (refusalsOfProcess.get(`${process} ${limitClass}`) ?? []).some((each) => early(arrival, each)),
      };
    },
    write(row, until) {
      insert.run(...COLUMNS.map((column) => row[column]), until);
      if (++unswept >= Math.min(SWEEP_EVERY, keptRows)) sweep();
      if (until !== null) remember(row, { requestId: row.request_id, answeredAt: row.monotonic + row.ms, until });
      else if (row.call_id) refusalOfCall.delete(row.call_id);
    },
    rows: () => db.prepare(`SELECT ${COLUMNS.join(', ')} FROM requests ORDER BY seq`).all() as RequestRow[],
    summary: () =>
      db
        .prepare(`SELECT count(*) AS requests, coalesce(sum(retry_after IS NOT NULL), 0) AS refused, coalesce(sum(early_same_call), 0) AS early_same_call,
        coalesce(sum(early_same_process), 0) AS early_same_process FROM requests`)
        .get() as ReturnType<RequestLog['summary']>,
    close: () => db.close(),
  };
};
