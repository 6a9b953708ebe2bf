import { copyFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { MarkMoved, Unavailable } from '../../errors/classes.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { markToRead, type MarkToRead } from '../../store/mark-to-read.ts';
import type { MarkOwner, MarkVersion } from '../../store/marks.ts';
import { markNumber, type Mark } from '../../text/mark.ts';
import type { StepContext } from '../frame/context.ts';
import { lastingName } from '../frame/lasting-name.ts';
import { sourcePlace } from '../frame/source-place.ts';

/**
 * The mark from which a step reads: read once, when it begins, whatever other runs do meanwhile. `version` 0: there was none; `undone`: runs that were
 * taken back, whose rows are read again.
 */
export type MarkRead = { owner: MarkOwner; version: number; mark: Mark | null; seen: boolean; undone: readonly string[] };

/** How far a step has read, to be set as the mark when its rows are acknowledged. `keys`: a file of what the next one leaves out. */
export type ReadTo = MarkRead & { to: Mark | null; keys: string; rows: number; of: number; left: number };

const markFile = ({ step }: StepContext): string => `marks/${step}.json`;
/** List of the mark that the step reads from. */
export const seenFile = ({ step, store }: StepContext): string => store.path('marks', `${step}.seen`);

/** What a mark of a step belongs to. A run that is a step of another has its own. */
export const ownerOf = (context: StepContext, dataset: string, source: SourceSpec): MarkOwner => ({
  pipeline: context.run.pipeline,
  step: lastingName(context),
  connection: context.connection('maps').name,
  dataset,
  source: sourcePlace(context, source),
});

/** Reads the mark of a step for a source, once in a run: a later attempt reads from the same one. */
export async function readMark(context: StepContext, dataset: string, source: SourceSpec): Promise<MarkRead> {
  const kept = await context.store.readJson<MarkRead>(markFile(context));
  if (kept) return kept;
  const owner = ownerOf(context, dataset, source);
  const { mark, newest, listed, undone } = await toReadWithList(context, owner);
  const read: MarkRead = { owner, version: newest?.version ?? 0, mark, seen: listed?.seen !== undefined, undone };
  const from = read.mark ? `reads from the mark ${read.mark.value} (version ${read.version})` : 'no mark is set: reads everything';
  const why =
    undone.length === 0 ? '' : `, as it was before ${undone.join(', ')}, which ${undone.length === 1 ? 'was' : 'were'} taken back`;
  await context.store.event({ step: context.step, kind: 'note', cause: `${from}${why}` });
  return context.store.keepJson(markFile(context), read);
}

/** What is to be read from, the list of it in the run's folder: that of the store goes when the mark has moved twice. */
async function toReadWithList(context: StepContext, owner: MarkOwner): Promise<MarkToRead> {
  for (let before: number | undefined; ;) {
    const read = await markToRead(context.marks, dirname(context.store.path()), owner, context.step);
    const { listed } = read;
    const list = listed && context.marks.seenFile(listed);
    if (listed === undefined || list === undefined) return read;
    try {
      await makeFolder(dirname(seenFile(context)));
      await copyFile(list, seenFile(context));
      return read;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (listed.version === before)
        throw new Unavailable(
          'store',
          `${list} is missing, the list of what mark ${listed.version} of ${owner.step} has seen: put it back, or set the mark anew (portolan watermark set)`,
        );
      before = listed.version;
    }
  }
}

/** True where another run, or a person, has set the mark since the step read it. */
export const wasMoved = ({ marks, run }: StepContext, { owner, version }: ReadTo): Promise<boolean> => marks.moved(owner, version, run.id);

/** What a step gives of its reading. */
export const sinceOutput = ({ mark, to, of, left }: ReadTo, { moved }: { moved: boolean }) => ({
  from: mark?.value ?? null,
  to: to?.value ?? null,
  of,
  seen: left,
  moved,
});

/**
 * Sets the mark to where the step has read, if it is still the one that it has read from: whoever sets it meanwhile is seen by the
 * setting itself. Otherwise it stays, as `leaveMark` says.
 */
export async function setMark(context: StepContext, read: ReadTo): Promise<{ moved: boolean }> {
  const { owner, version, mark, to, rows, undone } = read;
  if (setsNothing(read)) return { moved: false };
  const { marks, run } = context;
  // An attempt before this one may have set it.
  if ((await marks.newest(owner))?.run === run.id) return { moved: false };
  const keys = await readFile(join(context.store.path(), read.keys));
  const next = {
    ...owner,
    from: mark,
    to,
    run: run.id,
    rows,
    ...(undone.length > 0 ? { again: [...undone] } : {}),
    ...(keys.length > 0 ? { seen: keys } : {}),
  };
  return (await marks.set(version, next)) ? { moved: false } : leaveMark(context, read);
}

/**
 * What becomes of a mark that was set since the step read it: it stays where it is. Returns whether another run had set it, at least so
 * far as this one has read. Fails with `MarkMoved` where it stands elsewhere now.
 */
export async function leaveMark(context: StepContext, read: ReadTo): Promise<{ moved: boolean }> {
  const { owner, version, mark, to } = read;
  if (setsNothing(read)) return { moved: false };
  const { marks, run } = context;
  const since = (await marks.history(owner)).filter((each) => each.version > version);
  if (since.some((each) => each.run === run.id)) return { moved: false };
  const last = since.at(-1);
  if (last && since.every((each) => each.run !== undefined) && (await covers(context, last, read))) return { moved: true };
  const what = last
    ? `${last.run ? `run ${last.run}` : (last.by ?? 'somebody')} has set it to ${last.to?.value ?? 'none'} since`
    : 'that setting was taken away since';
  throw new MarkMoved(
    `the mark of ${context.step} was ${mark?.value ?? 'not set'} when the step began, and ${what}; this run has read to ${to!.value}, and leaves the mark as it is`,
  );
}

/** Nothing was read beyond the mark. */
const setsNothing = ({ to, rows, mark }: ReadTo): boolean => to === null || (rows === 0 && to.value === mark?.value);

/** Has the run that set a mark read all that this one has? */
async function covers({ marks, store }: StepContext, last: MarkVersion, { to, keys }: ReadTo): Promise<boolean> {
  if (last.to?.kind !== to!.kind) return false;
  if (to!.kind !== 'files') return markNumber(last.to) >= markNumber(to!);
  const list = marks.seenFile(last);
  const theirs = new Set(list === undefined ? [] : (await readFile(list, 'utf8')).split('\n'));
  return (await readFile(join(store.path(), keys), 'utf8')).split('\n').every((line) => theirs.has(line));
}
