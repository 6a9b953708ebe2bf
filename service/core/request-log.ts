import { DatabaseSync } from 'node:sqlite';
import { uptime } from './clock.ts';

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
  /** Seconds, as told in the answer. */
  retry_after: number | null;
  /** Milliseconds from arrival to the answer. */
  ms: number;
  fault: string | null;
  early: number;
  early_same_call: number;
  early_same_process: number;
};

/** `at` and what it is compared with: milliseconds since the machine started. `sentMsAgo`: how long before its arrival the client says it sent. */
type Arrival = { at: number; sentMsAgo: number | null; process: string | null; callId: string | null; limitClass: string };
type Told = { answeredAt: number; until: number };

/** A client that started before its wall clock was set tells nonsense: then the arrival counts. */
const BELIEVED_MS = 60_000;

/** Clocks of two processes and millisecond timers of a client differ by this much. */
const CLOCK_SLACK_MS = 2;

/**
 * An answer is on its way and then lies unread while a busy client sends other calls: a process that tells when it
 * sent is held to an answer from so long after it. A repeat of the refused call itself comes after it in any case.
 */
const READ_WITHIN_MS = 250;

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
  /** Was the request sent before a Retry-After that its call, or its process for this class, had been told. */
  judge(arrival: Arrival): { call: boolean; process: boolean };
  /** Appends the row; `until` is when the caller may come again, in milliseconds since the machine started. */
  write(row: RequestRow, until: number | null): void;
  rows(): RequestRow[];
  summary(): { requests: number; refused: number; early_same_call: number; early_same_process: number };
  close(): void;
};

/**
 * Log of requests, refusals and waits, the latest 500,000 of them. What callers were told outlives a restart of the service.
 * A request counts against an answer only if it was sent after that answer: by the client's own `x-sent-at`, else by arrival;
 * against one to another call of its process only if that one can have been read.
 */
export const createRequestLog = (file: string, keptRows = KEPT_ROWS): RequestLog => {
  const db = new DatabaseSync(file);
  // A lost tail after a power cut would be acceptable here; kill -9 loses nothing.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS requests (seq INTEGER PRIMARY KEY, ${[...COLUMNS, 'open_at'].join(', ')});`);
  const kept = new Set((db.prepare('PRAGMA table_info(requests)').all() as { name: string }[]).map(({ name }) => name));
  for (const column of [...COLUMNS, 'open_at']) if (!kept.has(column)) db.exec(`ALTER TABLE requests ADD COLUMN ${column}`);
  db.exec('CREATE INDEX IF NOT EXISTS requests_open_at ON requests (open_at) WHERE open_at IS NOT NULL');
  const insert = db.prepare(`INSERT INTO requests (${COLUMNS.join(', ')}, open_at) VALUES (${COLUMNS.map(() => '?').join(', ')}, ?)`);

  const toldCall = new Map<string, Told>();
  const toldProcess = new Map<string, Told[]>();
  const remember = (row: Pick<RequestRow, 'call_id' | 'process' | 'limit_class'>, told: Told): void => {
    if (row.call_id) toldCall.set(row.call_id, told);
    if (!row.process) return;
    const key = `${row.process} ${row.limit_class}`;
    toldProcess.set(key, [...(toldProcess.get(key) ?? []).filter(({ until }) => until > uptime() - 1_000), told]);
  };
  // A row from the future was written before the machine started anew.
  const open = db.prepare('SELECT * FROM requests WHERE open_at > ? AND monotonic <= ? ORDER BY seq').all(uptime(), uptime());
  for (const row of open as unknown as (RequestRow & { open_at: number })[])
    remember(row, { answeredAt: row.monotonic + row.ms, until: row.open_at });

  const early = ({ at, sentMsAgo }: Arrival, told: Told | undefined, unreadMs = 0): boolean =>
    told !== undefined && at - (sentMsAgo ?? 0) >= told.answeredAt + unreadMs && at + CLOCK_SLACK_MS < told.until;

  const drop = db.prepare('DELETE FROM requests WHERE seq <= (SELECT max(seq) FROM requests) - ?');
  let unswept = 0;
  const sweep = (): void => {
    unswept = 0;
    drop.run(keptRows);
    for (const [call, { until }] of toldCall) if (until <= uptime()) toldCall.delete(call);
    for (const [key, told] of toldProcess) if (told.every(({ until }) => until <= uptime())) toldProcess.delete(key);
  };
  sweep();

  return {
    judge(told) {
      const arrival = Math.abs(told.sentMsAgo ?? 0) <= BELIEVED_MS ? told : { ...told, sentMsAgo: null };
      const { callId, process, limitClass, sentMsAgo } = arrival;
      const unreadMs = sentMsAgo === null ? 0 : READ_WITHIN_MS;
      return {
        call: callId !== null && early(arrival, toldCall.get(callId)),
        process: process !== null && (toldProcess.get(`${process} ${limitClass}`) ?? []).some((each) => early(arrival, each, unreadMs)),
      };
    },
    write(row, until) {
      insert.run(...COLUMNS.map((column) => row[column]), until);
      if (++unswept >= Math.min(SWEEP_EVERY, keptRows)) sweep();
      if (until !== null) remember(row, { answeredAt: row.monotonic + row.ms, until });
      else if (row.call_id) toldCall.delete(row.call_id);
    },
    rows: () => db.prepare(`SELECT ${COLUMNS.join(', ')} FROM requests ORDER BY seq`).all() as unknown as RequestRow[],
    summary: () =>
      db
        .prepare(`SELECT count(*) AS requests, coalesce(sum(retry_after IS NOT NULL), 0) AS refused, coalesce(sum(early_same_call), 0) AS early_same_call,
        coalesce(sum(early_same_process), 0) AS early_same_process FROM requests`)
        .get() as ReturnType<RequestLog['summary']>,
    close: () => db.close(),
  };
};
