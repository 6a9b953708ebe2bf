import { readFile } from 'node:fs/promises';
import { BadInput } from '../../errors/classes.ts';
import type { RejectedRow, ShardResult } from '../../child/tables.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { StepContext } from '../frame/context.ts';
import { checkTolerance } from '../items/tolerance.ts';

const perFile = 5_000;

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
  const refused = (await readFile(rejectsFile, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RejectedRow);
  for (let at = 0; at < refused.length; at += perFile) {
    const part = refused
      .slice(at, at + perFile)
      .map(({ row, id, reason }) => ({ item: id ?? `row ${row}`, status: 'rejected' as const, reason, attempts: 1 }));
    await context.store.items(context.step, firstFile + at / perFile, part);
  }
  checkTolerance(context, 'rejected', rejected, rows, refused[0] && `row ${refused[0].row}: ${refused[0].reason}`);
}
