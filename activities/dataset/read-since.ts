import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { formatSeen, parseSeen } from '../../child/new-files.ts';
import type { ShardRequest, ShardResult } from '../../child/tables.ts';
import { writeWhole } from '../../files/whole-file.ts';
import type { FileSpec, SourceSpec } from '../../pipelines/source-spec.ts';
import { columnSince, type SinceOf } from '../../pipelines/steps/since.ts';
import type { Mark } from '../../text/mark.ts';
import type { StepContext } from '../frame/context.ts';
import { readMark, seenFile, type MarkRead, type ReadTo } from './watermark.ts';

/** What a step reads of its source since the mark, and how far that was when it has been read. */
export type Reading = {
  rows: Pick<ShardRequest, 'since' | 'files'>;
  to(result: ShardResult): Promise<ReadTo>;
};

type Reader = { source: SourceSpec; dataset: string; since?: SinceOf<'column'> | SinceOf<'files'> | undefined };

/** Reads the mark of a step, and says what it reads; undefined where it reads everything each time. */
export async function readingSince(context: StepContext, { source, dataset, since }: Reader): Promise<Reading | undefined> {
  if (!since) return undefined;
  const read = await readMark(context, dataset, source);
  return 'column' in since ? byColumn(context, since, read) : byFiles(context, since, source as FileSpec, read);
}

const byColumn = (context: StepContext, since: SinceOf<'column'>, read: MarkRead): Reading => ({
  rows: { since: { ...columnSince(since, read.mark), ...(read.seen ? { seenFile: seenFile(context) } : {}) } },
  async to({ rows, since: found }) {
    const { of, seen, to, keys } = found!;
    return { ...read, to, keys: relative(context.store.path(), keys), rows, of, left: seen };
  },
});

async function byFiles(context: StepContext, { files: which }: SinceOf<'files'>, source: FileSpec, read: MarkRead): Promise<Reading> {
  const seen = parseSeen(read.seen ? await readFile(seenFile(context), 'utf8') : '');
  const { of, files } = await context.tables.newFiles(source, seen, which, { signal: context.signal });
  return {
    rows: { files },
    async to({ rows, files: printed = [] }) {
      for (const { name, sha256 } of printed) seen.set(name, sha256);
      // An attempt that was given away, and does not know it yet, may list later files: what it writes is its own.
      const keys = context.store.path('marks', `${context.step}-${context.attemptId}.keys`);
      await writeWhole(keys, formatSeen(seen));
      const to: Mark = { kind: 'files', value: String(seen.size) };
      return { ...read, to, keys: relative(context.store.path(), keys), rows, of, left: of - files.length };
    },
  };
}
