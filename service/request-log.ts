import { DatabaseSync } from 'node:sqlite';
import { now } from './clock.ts';

/** How the service saw one request. Times in epoch milliseconds. */
export type RequestRow = {
  at: number;
  /** Milliseconds since the service started, from the monotonic clock. */
  monotonic: number;
  request_id: string;
  call_id: string | null;
  process: string | null;
  operation: string;
  limit_class: string;
  user: string | null;
  /** 0 where the connection was cut instead of answered. */
  status: number;
  /** Seconds, as told in the answer. */
  retry_after: number | null;
  /** Milliseconds from arrival to the answer. */
  ms: number;
  fault: string | null;
  early: number;
  early_same_call: number;
  early_same_process: number;
};

type Arrival = { at: number; sentAt: number | null; process: string | null; callId: string | null; limitClass: string };
type Told = { answeredAt: number; until: number };

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
  'limit_class',
  'user',
  'status',
  'retry_after',
  'ms',
  'fault',
  'early',
  'early_same_call',
  'early_same_process',
] as const;

export type RequestLog = {
  /** Was the request sent before a Retry-After that its call, or its process for this class, had been told. */
  judge(arrival: Arrival): { call: boolean; process: boolean };
  /** Appends the row; `until` is when the caller may come again. */
  write(row: RequestRow, until: number | null): void;
  rows(): RequestRow[];
  summary(): { requests: number; refused: number; early_same_call: number; early_same_process: number };
  close(): void;
};

/**
 * Append-only log of requests, refusals and waits. What callers were told outlives a restart of the service.
 * A request counts against an answer only if it was sent after that answer: by the client's own `x-sent-at`, else by arrival;
 * against one to another call of its process only if that one can have been read.
 */
export const createRequestLog = (file: string): RequestLog => {
  const db = new DatabaseSync(file);
  // A lost tail after a power cut would be acceptable here; kill -9 loses nothing.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS requests (seq INTEGER PRIMARY KEY, ${COLUMNS.join(', ')}, until);
    CREATE INDEX IF NOT EXISTS requests_until ON requests (until) WHERE until IS NOT NULL`);
  const insert = db.prepare(`INSERT INTO requests (${COLUMNS.join(', ')}, until) VALUES (${COLUMNS.map(() => '?').join(', ')}, ?)`);

  const toldCall = new Map<string, Told>();
  const toldProcess = new Map<string, Told[]>();
  const remember = (row: Pick<RequestRow, 'call_id' | 'process' | 'limit_class'>, told: Told): void => {
    if (row.call_id) toldCall.set(row.call_id, told);
    if (!row.process) return;
    const key = `${row.process} ${row.limit_class}`;
    toldProcess.set(key, [...(toldProcess.get(key) ?? []).filter(({ until }) => until > now() - 1_000), told]);
  };
  for (const row of db.prepare('SELECT * FROM requests WHERE until > ? ORDER BY seq').all(now()) as unknown as (RequestRow & {
    until: number;
  })[]) {
    remember(row, { answeredAt: row.at + row.ms, until: row.until });
  }

  const early = ({ at, sentAt }: Arrival, told: Told | undefined, unreadMs = 0): boolean =>
    told !== undefined && (sentAt ?? at) >= told.answeredAt + unreadMs && at + CLOCK_SLACK_MS < told.until;

  return {
    judge(arrival) {
      const { callId, process, limitClass, sentAt } = arrival;
      const unreadMs = sentAt === null ? 0 : READ_WITHIN_MS;
      return {
        call: callId !== null && early(arrival, toldCall.get(callId)),
        process: process !== null && (toldProcess.get(`${process} ${limitClass}`) ?? []).some((told) => early(arrival, told, unreadMs)),
      };
    },
    write(row, until) {
      insert.run(...COLUMNS.map((column) => row[column]), until);
      if (until !== null) remember(row, { answeredAt: row.at + row.ms, until });
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
