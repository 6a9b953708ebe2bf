import { rm } from 'node:fs/promises';
import { ReadingUnknown } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import { readKnownRows } from './known-rows.ts';
import { sameRow } from './same-row.ts';

/**
 * An upload leaves known rows as they are only where the service skips known ids (assumption `known-ids`); one that replaces them
 * would take rows that nobody approved. Where the connection does not say which, the rows of the Arrow file are held against those
 * of the dataset: equal ones are the same under each reading, and others are refused before anything is sent.
 */
export async function refuseOtherRows(
  context: StepContext,
  { dataset, idField, file, into }: { dataset: string; idField: string; file: string; into: string },
): Promise<void> {
  const { batch, readings } = context.connection('maps');
  if (readings['known-ids'] === 'skipped') return;
  const { files } = await context.tables.unpackArrow(
    { file, into, maxRows: batch.rows, maxDecodedBytes: Number.MAX_SAFE_INTEGER },
    { signal: context.signal },
  );
  try {
    let done = 0;
    for (const each of files) {
      const { rows } = await context.tables.readShard(each.file);
      const ids = rows.map((row) => String(row[idField]));
      const known = await readKnownRows(context, dataset, idField, ids);
      const other = ids.find((id, row) => known.has(id) && !sameRow(rows[row]!, known.get(id)!));
      if (other !== undefined)
        throw new ReadingUnknown(
          `the dataset holds another row under id ${JSON.stringify(other)} of the file, and whether the service keeps it or replaces it is not known. Send the rows by dataset.append, which compares them; or name 'known-ids': 'skipped' in the readings of the connection, if the service is known to keep its own`,
        );
      context.progress({ done: (done += rows.length), unit: 'rows', note: 'comparing with the rows of the dataset' });
    }
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}
