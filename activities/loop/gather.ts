import { keptLimit } from '../../pipelines/kept.ts';
import type { GatherInput } from '../../pipelines/plan.ts';
import { keepValue } from '../../store/kept-values.ts';
import { makeTable } from '../../store/loop-rows.ts';
import type { RunStore } from '../../store/run-store.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';

/** What a loop gives: its counts, its rows as a table, and as a list where that is no larger than one value may be. */
export async function gather({ step, columns, counts }: GatherInput, store: RunStore): Promise<Json> {
  const { results, rows } = await makeTable(store, step, columns, keptLimit);
  const output = { ...counts, results };
  const withRows = { ...output, ...(rows ? { rows } : {}) };
  return keepValue(store, Buffer.byteLength(canonical(withRows)) > keptLimit ? output : withRows);
}
