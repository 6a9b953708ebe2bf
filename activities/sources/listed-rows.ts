import type { IdColumns } from '../../child/id-columns.ts';
import { readParts, type Listed } from '../../child/listed-rows.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { StepContext } from '../frame/context.ts';
import { refuseChanged } from './check-unchanged.ts';

/** `ids`: columns whose values stay the texts that stand there; `folder`: where the rows are listed, in the run store; `atOnce`: rows of a chunk. */
type Listing = { table: SourceSpec; key?: string | undefined; ids?: IdColumns; folder: string; atOnce: number };

/** The rows of a table, a chunk at a time. Fails where it is not the one of the run's start. */
export async function* listedRows(
  { table, key, ids = [], folder, atOnce }: Listing,
  context: StepContext,
): AsyncGenerator<Listed[], void, undefined> {
  const into = context.store.path(folder);
  const listed = await context.tables.listRows(
    { source: table, key, ids, into, parts: 1_000_000, leastRows: atOnce, mostRows: atOnce },
    { signal: context.signal, progress: (done) => context.progress({ done, unit: 'rows', note: 'listing' }) },
  );
  refuseChanged(context, sourceName(table), { ...listed.source, rows: listed.rows });
  yield* readParts(into, listed.parts);
}
