import { readFile } from 'node:fs/promises';
import { BadInput, MarkMoved } from '../../errors/classes.ts';
import { writeWhole } from '../../files/whole-file.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { MarkOwner, MarkVersion } from '../../store/marks.ts';
import { fromLines, toLines } from '../../text/lines.ts';
import { counted } from '../../text/units.ts';
import type { StepContext } from '../frame/context.ts';
import { ownerOfNoSource } from '../frame/owner-of-no-source.ts';
import { readKnownRows } from './known-rows.ts';
import { firstWith, heldByOthers, refuseShared } from './other-mirrors.ts';
import { refuseFleeting } from './refuse-fleeting.ts';
import { idsOfShard } from './send-shards.ts';
import type { Shards } from './shards.ts';
import { refuseStrange } from './strange-rows.ts';
import { ownerOf } from './watermark.ts';

/**
 * The rows that a mirror has put into its dataset stand in a list beside its mark: the API lists no ids of a dataset. Before the first
 * row is sent the list is set to what was there and what is to come, so that no row of a run that was lost is forgotten; at the
 * end to what is there. `version`: of the list as this step has set it, or found it.
 */
export type Mirrored = { owner: MarkOwner; version: number };

/** Rows that are gone at the source, and known rows that it holds in a form which the dataset does not take: those stay. */
type Compared = { gone: string[]; refused: string[] };

const listOf = ({ step, store }: StepContext, name: string): string => store.path('mirror', `${step}.${name}`);
const readList = async (context: StepContext, name: keyof Compared | 'known'): Promise<string[]> =>
  fromLines(await readFile(listOf(context, name), 'utf8'));
const writeList = (context: StepContext, name: keyof Compared | 'known', ids: readonly string[]): Promise<void> =>
  writeWhole(listOf(context, name), toLines(ids));

async function idsOf(context: StepContext, shards: Shards): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let shard = 0; shard < shards.shards; shard++) for (const id of await idsOfShard(shards, shard, context)) ids.add(id);
  return ids;
}

/** A list is of no one source, so that it stays where the source moves. */
const ownerOfList = (context: StepContext, dataset: string, source: SourceSpec): MarkOwner => ({
  ...ownerOf(context, dataset, source),
  ...ownerOfNoSource(context, source),
});

/** The list as the step has found it, read once. */
async function foundList(context: StepContext, owner: MarkOwner): Promise<{ version: number; known: string[] }> {
  const file = `mirror/${context.step}.json`;
  const kept = await context.store.readJson<{ version: number }>(file);
  if (kept) return { ...kept, known: await readList(context, 'known') };
  const newest = await context.marks.newest(owner);
  const list = newest && context.marks.seenFile(newest);
  const known = list === undefined ? [] : fromLines(await readFile(list, 'utf8'));
  await writeList(context, 'known', known);
  const { version } = await context.store.keepJson(file, { version: newest?.version ?? 0 });
  return { version, known };
}

/**
 * Compares the rows of a source with those that the mirror has put there. Fails, before anything is sent, where more are gone than may
 * be deleted (`refuses` says why), where the dataset holds rows of somebody else that the file does not keep, where nobody approved that
 * rows are deleted, and where another run has set the list meanwhile.
 */
export async function compareWithSource(
  context: StepContext,
  { dataset, source, others }: { dataset: string; source: SourceSpec; others: 'refuse' | 'keep' },
  shards: Shards,
  refuses: (facts: { gone: number; rows: number; known: number }) => string | undefined,
): Promise<Mirrored> {
  const owner = ownerOfList(context, dataset, source);
  refuseFleeting(context, owner, source);
  const { version, known } = await foundList(context, owner);
  const first = await firstWith(context, owner);
  const ids = await idsOf(context, shards);
  const rejected = new Set((await context.store.readItems({ step: context.step, status: 'rejected' })).map(({ item }) => item));
  const missing = known.filter((id) => !ids.has(id) && !rejected.has(id));
  // The list has rows that a run was to send and never did.
  const there = await readKnownRows(context, dataset, shards.idField, missing);
  const found = missing.filter((id) => there.has(id));
  if (found.length > 0) refuseShared(context, first);
  const held = await heldByOthers(context, owner, found);
  const gone = found.filter((id) => !held.has(id));
  if (held.size > 0)
    await context.store.event({
      step: context.step,
      kind: 'note',
      cause: `${counted(held.size, 'row')} gone at the source stay, for another step or turn mirrors them into the dataset: ${[...held].slice(0, 3).join(', ')}${held.size > 3 ? ' …' : ''}`,
    });
  const why = refuses({ gone: gone.length, rows: shards.rows, known: known.length - missing.length + found.length });
  if (why !== undefined) throw new BadInput('bad_input', `${why}. Nothing was sent`);
  const refused = known.filter((id) => rejected.has(id));
  // Before the list is set: what of the source somebody else has put there is not the mirror's own where it is refused.
  if (others === 'refuse') await refuseStrange(context, dataset, shards, { gone: gone.length, refused });
  if (gone.length > 0)
    context.requireApproval(
      `to delete ${counted(gone.length, 'row')} gone at the source (${gone.slice(0, 3).join(', ')}${gone.length > 3 ? ' …' : ''})`,
    );
  await writeList(context, 'gone', gone);
  await writeList(context, 'refused', refused);
  const all = new Set(known).union(ids);
  if (all.size === known.length) return { owner, version };
  await setList(context, { owner, version }, [...all], 0);
  return { owner, version: version + 1 };
}

/** What of the dataset's rows is to go, as far as it shows them, and how many known rows were refused this time; asked once, before anything is deleted. */
export async function rowsToDelete(
  context: StepContext,
  { dataset, owner }: { dataset: string; owner: MarkOwner },
  { idField }: Shards,
): Promise<{ ids: string[]; kept: number }> {
  const file = `mirror/${context.step}.there.json`;
  const kept = await context.store.readJson<{ ids: string[]; kept: number }>(file);
  if (kept) return kept;
  const there = async (name: keyof Compared) => [...(await readKnownRows(context, dataset, idField, await readList(context, name))).keys()];
  const gone = new Set(await there('gone'));
  // A turn beside this one may have come to a row meanwhile.
  const ids = [...gone.difference(await heldByOthers(context, owner, [...gone]))];
  return context.store.keepJson(file, { ids, kept: (await there('refused')).length });
}

/** Sets the list to what is there now, of a step that has sent so many rows. */
export async function setMirrored(context: StepContext, mirrored: Mirrored, shards: Shards, rows: number): Promise<void> {
  const ids = (await idsOf(context, shards)).union(new Set(await readList(context, 'refused')));
  const same = new Set(await readList(context, 'known')).symmetricDifference(ids).size === 0;
  if (!same) await setList(context, mirrored, [...ids], rows);
}

async function setList(
  { marks, run, step }: StepContext,
  { owner, version }: Mirrored,
  ids: readonly string[],
  rows: number,
): Promise<void> {
  const newest = await marks.newest(owner);
  // An attempt before this one has set it.
  if (newest?.run === run.id && newest.version === version + 1) return;
  const to: MarkVersion['to'] = { kind: 'rows', value: String(ids.length) };
  const from = newest?.to ?? null;
  if (await marks.set(version, { ...owner, from, to, run: run.id, rows, seen: Buffer.from(toLines(ids)) })) return;
  const by = newest?.run === undefined ? (newest?.by ?? 'somebody') : `run ${newest.run}`;
  throw new MarkMoved(`${by} has mirrored the dataset, or set the mark of ${step}, since this run has read it`);
}
