import type { Batches } from '../../../contracts/maps/batches.ts';
import type { SourceFacts } from '../../source-spec.ts';

/** Additions of a table's rows. */
export type Additions = { min: number; max: number } | { min: number; max: null; because: string };

type Given = { source?: unknown; columns?: Readonly<Record<string, unknown>> | undefined } | undefined;

/**
 * Calls that add the rows of a table. A shard is full by its rows, or by its bytes as Arrow, which are known before the run for text
 * files whose columns go in as they are: a value is never longer than its text, or a number. Then there is an upper bound.
 */
export function additionsOf({ rows, bytes, columns: held }: SourceFacts, given: Given, batch: Pick<Batches, 'rows' | 'bytes'>): Additions {
  const min = Math.max(1, Math.ceil(rows / batch.rows));
  const names = new Set(held.map(({ name }) => name));
  const asTheyAre = Object.values(given?.columns ?? {}).every((column) => typeof column === 'string' && names.has(column));
  if (typeof given?.source !== 'string' || !isText(given.source) || !asTheyAre)
    return { min, max: null, because: `more where rows take more than ${batch.bytes.toLocaleString('en-US')} bytes as Arrow` };
  const values = rows * (1 + Math.max(held.length, Object.keys(given.columns ?? {}).length));
  const most = perFile + 4 * bytes + values * perValue;
  // A shard that is full by its bytes and the row that did not fit are more than one shard together.
  return {
    min,
    max: most <= batch.bytes ? min : Math.max(min, Math.min(rows, min + 2 * Math.ceil(most / Math.max(1, batch.bytes - perFile)))),
  };
}

const isText = (path: string): boolean => /\.(csv|tsv|json|jsonl|ndjson)$/i.test(path);

/** Bytes of schema and footer, generously. */
const perFile = 64_000;

/** Bytes of one value beside its text: an id that is made of a hash, or a number that is written shorter than it is kept. */
const perValue = 40;
