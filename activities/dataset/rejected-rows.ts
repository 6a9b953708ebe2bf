import { BadInput } from '../../errors/classes.ts';
import type { RejectedRow, ShardResult } from '../../child/tables.ts';
import { linesOfFile } from '../../files/lines-of-file.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { StepContext } from '../frame/context.ts';
import { checkTolerance } from '../items/tolerance.ts';
import type { ItemRecord } from '../../store/run-store.ts';

const perFile = 5_000;

const bytesAtATime = 256 * 1024;

/** Ledger files of rejected rows are numbered from here, above those of chunks. */
const firstFile = 1_000_000;

type Cut = Pick<ShardResult, 'rows' | 'rejected' | 'duplicates' | 'rejectsFile'>;

/** Refuses a source in which ids repeat; writes rejected rows into the ledger and refuses more than are tolerated. */
export async function keepRejected(
  context: StepContext,
  source: SourceSpec,
  { rows, rejected, duplicates, rejectsFile }: Cut,
): Promise<void> {
  const [first] = duplicates;
  if (first) {
    throw new BadInput(
      'bad_input',
      `${duplicates.length} id${duplicates.length === 1 ? '' : 's'} of ${sourceName(source)} stand in more than one row: first "${first.id}" in rows ${first.rows.slice(0, 3).join(', ')}; nothing was sent. Make the ids unique, or use id: { row: true }`,
    );
  }
  let refused: RejectedRow | undefined;
  let part: ItemRecord[] = [];
  let written = 0;
  const write = async (): Promise<void> => {
    await context.store.items(context.step, firstFile + written++, part);
    part = [];
  };
  // Every row may be one of them: they are read some at a time, as nothing else of the worker is done meanwhile.
  for await (const lines of linesOfFile(rejectsFile, bytesAtATime))
    for (const { bytes } of lines) {
      const each = JSON.parse(bytes.toString('utf8')) as RejectedRow;
      refused ??= each;
      part.push({ item: each.id ?? `row ${each.row}`, status: 'rejected', reason: each.reason, attempts: 1 });
      if (part.length === perFile) await write();
    }
  if (part.length > 0) await write();
  checkTolerance(context, 'rejected', rejected, rows, refused && `row ${refused.row}: ${refused.reason}`);
}
