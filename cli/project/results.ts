import { readResults, resultFacts, resultsOf, resultSteps } from '../../store/results.ts';
import type { RunStore } from '../../store/run-store.ts';
import { csvLine } from '../../text/csv.ts';
import { UsageError } from '../frame/errors.ts';
import type { Terminal } from '../frame/terminal.ts';
import { renderResults } from '../render/results.ts';

type Asked = { run: string; step?: string | undefined; format: 'json' | 'csv' | 'table'; limit: number | undefined };

/** Writes the results of a run's sweep, part by part: however many they are, few are held at a time. */
export async function writeResultRows(store: RunStore, { run, step, format, limit }: Asked, terminal: Terminal): Promise<void> {
  const steps = await resultSteps(store);
  const [only] = steps;
  if (only === undefined) throw new UsageError(`run ${run} has no results`, `the fates of its items: portolan items ${run}`);
  if (step !== undefined && !steps.includes(step))
    throw new UsageError(`step '${step}' of run ${run} has no results`, `these have: ${steps.join(', ')}`);
  if (step === undefined && steps.length > 1)
    throw new UsageError(`several steps of run ${run} have results`, `name one: --step ${steps.join(' | ')}`);
  const name = step ?? only;
  const { columns, rows: total } = await resultFacts(store, name);
  const rows: Record<string, unknown>[] = [];
  let count = 0;
  if (format === 'csv') terminal.data(csvLine(columns));
  for await (const row of readResults(store, resultsOf(store, name))) {
    if (limit !== undefined && count >= limit) break;
    count++;
    if (format === 'json') terminal.value(row);
    else if (format === 'csv') terminal.data(csvLine(columns.map((column) => row[column])));
    else rows.push(row);
  }
  if (format === 'table') terminal.out(renderResults(columns, rows, total));
}
