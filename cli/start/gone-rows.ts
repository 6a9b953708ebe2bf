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

export type GoneOptions = {
  /** The rows that the mirror has put there, or was to. */
  list: KnownMark | undefined;
  deletes: unknown;
  /** Which of these rows the dataset holds; undefined where that is not known. */
  there: (ids: readonly string[]) => Promise<ReadonlySet<string> | undefined>;
  /** Gets the ids of all, one a line. */
  file: string | undefined;
  signal: AbortSignal;
};

/** What a mirror would delete: rows that it has put there and that its source no longer has; of rows that no run has sent nothing is gone. */
export async function goneRows(
  tables: Tables,
  request: MeasureRequest,
  { list, deletes: given, there, file, signal }: GoneOptions,
): Promise<NonNullable<TableFacts['gone']>> {
  if (list?.seenFile === undefined) return { count: 0, first: [] };
  const known = fromLines(await readFile(list.seenFile, 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'portolan-plan-'));
  try {
    const cut = await tables.shard({ ...request, into: join(folder, 'rows'), projectId: 'plan' }, { signal });
    const read = new Set<string>();
    for (const shard of cut.shards) for (const id of firstTexts(await readIds(idsFileOf(shard.file)), Infinity)) read.add(id);
    for (const line of (await readFile(cut.rejectsFile, 'utf8')).split('\n').filter(Boolean)) {
      const { id } = JSON.parse(line) as RejectedRow;
      if (id !== null) read.add(id);
    }
    const missing = known.filter((id) => !read.has(id));
    const held = missing.length === 0 ? undefined : await there(missing);
    const gone = held ? missing.filter((id) => held.has(id)) : missing;
    const said = deletes.safeParse(given);
    const facts = { gone: gone.length, rows: cut.rows, known: known.length - missing.length + gone.length };
    const refused = said.success ? refusedDeletions(said.data, facts) : undefined;
    if (gone.length > 0 && file !== undefined) await writeWhole(file, toLines(gone));
    return {
      count: gone.length,
      first: gone.slice(0, shown),
      ...(gone.length > 0 && held === undefined ? { unseen: true } : {}),
      ...(gone.length > 0 && file !== undefined ? { file } : {}),
      ...(refused === undefined ? {} : { refused }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
