import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstTexts, idsFileOf, readIds } from '../../child/ids-files.ts';
import type { MeasureRequest, RejectedRow, Tables } from '../../child/tables.ts';
import { writeWhole } from '../../files/whole-file.ts';
import type { TableFacts } from '../../pipelines/source-spec.ts';
import { deletes, refusedDeletions } from '../../pipelines/steps/dataset/mirror.ts';
import { fromLines, toLines } from '../../text/lines.ts';
import type { KnownMark } from './known-marks.ts';

/** Ids that are shown of the rows that are gone. */
const shown = 3;

/** What a mirror would delete: rows that it has put there and that its source no longer has. `file` gets their ids, one a line. */
export async function goneRows(
  tables: Tables,
  request: MeasureRequest,
  { list, deletes: given, file, signal }: { list: KnownMark | undefined; deletes: unknown; file: string | undefined; signal: AbortSignal },
): Promise<NonNullable<TableFacts['gone']>> {
  if (list?.seenFile === undefined) return { count: 0, first: [] };
  const known = fromLines(await readFile(list.seenFile, 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'portolan-plan-'));
  try {
    const cut = await tables.shard({ ...request, into: join(folder, 'rows'), projectId: 'plan' }, { signal });
    const there = new Set<string>();
    for (const shard of cut.shards) for (const id of firstTexts(await readIds(idsFileOf(shard.file)), Infinity)) there.add(id);
    for (const line of (await readFile(cut.rejectsFile, 'utf8')).split('\n').filter(Boolean)) {
      const { id } = JSON.parse(line) as RejectedRow;
      if (id !== null) there.add(id);
    }
    const gone = known.filter((id) => !there.has(id));
    const said = deletes.safeParse(given);
    const refused = said.success ? refusedDeletions(said.data, { gone: gone.length, rows: cut.rows, known: known.length }) : undefined;
    if (gone.length > 0 && file !== undefined) await writeWhole(file, toLines(gone));
    return {
      count: gone.length,
      first: gone.slice(0, shown),
      ...(gone.length > 0 && file !== undefined ? { file } : {}),
      ...(refused === undefined ? {} : { refused }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
