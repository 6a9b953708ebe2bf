import { sha256 } from '../../text/sha256.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';

/** What an effect is about to do; its row is written in the transaction of the effect itself. */
export type JournalEntry = {
  requestId: string;
  /** Operation as in the contracts, e.g. `maps.tags.update`. */
  operation: string;
  /** The thing acted on, e.g. `tag/<projection>/<name>`. */
  subject: string;
  /** What is done to the subject, where opposite acts are one operation or one act is several: `add` and `remove`. Default: the operation. */
  act?: string;
  /** The significant content: equal content on one subject is one intent. */
  content: unknown;
};

export type JournalRow = {
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  request_id: string;
  operation: string;
  subject: string;
  act: string;
  intent: string;
  /** Number of things changed. */
  changed: number;
  /** Of an addition of rows: those of its content that stand in the data beyond the ones sent. */
  surplus?: number | null;
};

/** Order of ids does not matter to what they do. */
export const hashOfIds = (ids: readonly string[]): string => sha256([...ids].sort().join('\n'));

/** The row of an entry but for its number: `intent` is a hash of operation and canonical content. */
export const journalRow = (
  { requestId, operation, subject, act = '', content }: JournalEntry,
  at: number,
  changed: number,
): Omit<JournalRow, 'seq' | 'surplus'> => ({
  at,
  request_id: requestId,
  operation,
  subject,
  act,
  intent: sha256(canonical(JSON.parse(JSON.stringify([operation, act, content])) as Json)),
  changed,
});

/** Columns of a row but its number, and placeholders for them: every journal is written by these. */
export const journalColumns = ['at', 'request_id', 'operation', 'subject', 'act', 'intent', 'changed'] as const;
export const journalPlaces = journalColumns.map(() => '?').join(', ');

/** The values of a row in the order of `journalColumns`. */
export const journalValues = (...given: Parameters<typeof journalRow>): (string | number)[] => {
  const row = journalRow(...given);
  return journalColumns.map((column) => row[column]);
};

export type JournalSummary = { effects: number; repeated: number; harmless: number };

/**
 * `repeated`: a row that changed something although the same intent already had, with no other act on the same
 * subject between them, which may have undone it; of rows that were added, one with a surplus, whatever came between.
 * `harmless`: rows that changed nothing. Rows of one subject must come in order.
 */
export const summarize = (rows: readonly JournalRow[]): JournalSummary & { repeatedRows: JournalRow[] } => {
  const latest = new Map<string, { act: string; intents: Set<string> }>();
  const repeatedRows: JournalRow[] = [];
  let harmless = 0;
  for (const row of rows) {
    if (row.changed === 0) {
      harmless += 1;
      continue;
    }
    const act = row.act || row.operation;
    const known = latest.get(row.subject);
    const intents = known?.act === act ? known.intents : new Set<string>();
    if (typeof row.surplus === 'number' ? row.surplus > 0 : intents.has(row.intent)) repeatedRows.push(row);
    latest.set(row.subject, { act, intents: intents.add(row.intent) });
  }
  return { effects: rows.length - harmless, repeated: repeatedRows.length, harmless, repeatedRows };
};
