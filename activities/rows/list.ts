import { BadInput } from '../../errors/classes.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { writeRows, type RowList } from '../../store/row-lists.ts';
import type { StepContext } from '../frame/context.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import { listUnchanged } from '../sources/list-unchanged.ts';
import { sourceName } from '../../pipelines/source-name.ts';

/** A chunk is one activity: of a million rows some hundred, each held in memory while it is worked through. */
const chunks = { parts: 400, leastRows: 1_000, mostRows: 5_000 };

/** What a loop goes over: a table, or files as they are. */
export type Over = { rows?: SourceSpec; files?: string; key?: string };

/** Lists the rows or files into a folder of the run store. Fails where they are not those of the run's start. */
export async function listInto(
  folder: string,
  { rows: source, files, key }: Over,
  context: StepContext,
): Promise<Pick<RowList, 'rows' | 'parts'>> {
  if (files !== undefined) return listedFiles(folder, files, context);
  if (source === undefined) throw new BadInput('bad_input', 'forEach: rows or files are due');
  const listed = await context.tables.listRows(
    { source, key, into: context.store.path(folder), ...chunks },
    { signal: context.signal, progress: (done, note) => context.progress({ done, unit: 'rows', ...(note ? { note } : {}) }) },
  );
  refuseChanged(context, sourceName(source), { ...listed.source, rows: listed.rows });
  return { rows: listed.rows, parts: listed.parts };
}

async function listedFiles(folder: string, pattern: string, context: StepContext): Promise<Pick<RowList, 'rows' | 'parts'>> {
  const files = await listUnchanged(pattern, context);
  const parts = Array.from({ length: Math.ceil(files.length / chunks.leastRows) }, (_, part) =>
    files.slice(part * chunks.leastRows, (part + 1) * chunks.leastRows),
  );
  return {
    rows: files.length,
    parts: await Promise.all(
      parts.map(async (of, part) => ({
        file: await writeRows(
          context.store,
          folder,
          part,
          of.map((file) => ({ key: file.name, row: file })),
        ),
        first: part * chunks.leastRows,
        rows: of.length,
      })),
    ),
  };
}
