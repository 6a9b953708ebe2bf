import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseSeen } from '../../child/new-files.ts';
import type { Measured, MeasureRequest, Tables } from '../../child/tables.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import { placeOfSource } from '../../pipelines/place-of-source.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import type { FileSpec, SourceSpec } from '../../pipelines/source-spec.ts';
import type { DatasetFacts } from '../../pipelines/step.ts';
import { columnSince, type SinceOf } from '../../pipelines/steps/since.ts';
import { markToRead } from '../../store/mark-to-read.ts';
import { createMarks, projectOf, type MarkOwner } from '../../store/marks.ts';
import type { RunStore } from '../../store/run-store.ts';
import { fromLines } from '../../text/lines.ts';
import type { Mark } from '../../text/mark.ts';

/** Whose mark is asked for: a step's for the source that it reads, or the list of a mirror, which is of no one source. */
export type MarkedStep = Omit<MarkOwner, 'source'> & { source?: SourceSpec };

/** A mark as it stands before a run. */
export type KnownMark = { mark: Mark; seenFile?: string };

/**
 * What a step's mark belongs to, but for the source that it reads; undefined where that is not known before the run: of a dataset that
 * nobody has looked at, and of a step in a loop, whose turns have a mark each. The dataset of one that is not there is nobody's.
 */
export function ownerOf(
  plan: Plan,
  { id, in: loop, connections, with: input }: PlanStep,
  dataset: DatasetFacts | undefined,
): Omit<MarkOwner, 'source'> | undefined {
  const { dataset: given } = input as { dataset?: unknown };
  const literal = typeof given === 'string' && !hasExpression(given) ? given : undefined;
  const known = dataset?.exists ? dataset.id : (literal ?? (dataset && ''));
  if (known === undefined || loop !== undefined) return undefined;
  return { pipeline: plan.pipeline, step: id, connection: connections['maps'] ?? '', dataset: known };
}

/** The marks of a run store as they are now; of the folder of all runs. */
export const marksNow =
  (root: string) =>
  async (_: string, { source, ...owner }: MarkedStep): Promise<KnownMark | undefined> => {
    const marks = createMarks(root);
    // The list of a mirror, which is of no one source, stays what it is: what was taken back is missing in the dataset.
    const newest = source === undefined ? await marks.newest({ ...owner, source: '' }) : undefined;
    const { mark, listed } =
      source === undefined
        ? { mark: newest?.to, listed: newest }
        : await markToRead(marks, root, { ...owner, source: placeOfSource(source, projectOf(root)) });
    const seenFile = listed && marks.seenFile(listed);
    return mark ? { mark, ...(seenFile === undefined ? {} : { seenFile }) } : undefined;
  };

/** The marks that a run has read from. */
export const marksOfRun =
  (store: RunStore) =>
  async (step: string): Promise<KnownMark | undefined> => {
    const mirrored = store.path('mirror', `${step}.known`);
    if (existsSync(mirrored)) return { mark: { kind: 'rows', value: '' }, seenFile: mirrored };
    const read = await store.readJson<{ mark: Mark | null }>(`marks/${step}.json`);
    const seenFile = store.path('marks', `${step}.seen`);
    return read?.mark ? { mark: read.mark, ...(existsSync(seenFile) ? { seenFile } : {}) } : undefined;
  };

/** The rows of a mirror that were gone at the source and that its run has found in the dataset; undefined where it did not come so far. */
export const goneInRun =
  (store: RunStore) =>
  async (step: string): Promise<ReadonlySet<string> | undefined> => {
    const file = store.path('mirror', `${step}.gone`);
    return existsSync(file) ? new Set(fromLines(await readFile(file, 'utf8'))) : undefined;
  };

type ReadingFrom = { rows: Pick<MeasureRequest, 'since' | 'files'>; noun: 'row' | 'file'; of?: number };

/** What is read of a source from a mark on. */
export async function readingFrom(
  since: SinceOf<'column'> | SinceOf<'files'>,
  source: SourceSpec,
  known: KnownMark | undefined,
  tables: Pick<Tables, 'newFiles'>,
): Promise<ReadingFrom> {
  const { mark = null, seenFile } = known ?? {};
  if ('column' in since)
    return { rows: { since: { ...columnSince(since, mark), ...(seenFile === undefined ? {} : { seenFile }) } }, noun: 'row' };
  const seen = parseSeen(seenFile === undefined ? '' : await readFile(seenFile, 'utf8'));
  const { of, files } = await tables.newFiles(source as FileSpec, seen, since.files);
  return { rows: { files }, noun: 'file', of };
}

/** What is measured where no file is new. */
export const noTable: Measured = { rows: 0, bytes: 0, sent: 0, shards: 0, arrowBytes: [0, 0], columns: [] };
