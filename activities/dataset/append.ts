import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { Inconclusive } from '../../errors/classes.ts';
import type { Counts } from '../../pipelines/phases.ts';
import type { ShardRequest, ShardResult } from '../../child/tables.ts';
import type { definition } from '../../pipelines/steps/dataset/append.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import { schemaColumns } from '../../child/schema-columns.ts';
import { compareShard } from './compare-shard.ts';
import { keepRejected } from './rejected-rows.ts';
import { noteDrift } from './note-drift.ts';
import { readingSince } from './read-since.ts';
import { leaveMark, setMark, sinceOutput, wasMoved } from './watermark.ts';
import { awaitDataset, expectRows, isNew } from './expected-rows.ts';
import { replaceRows, type Replacement } from './replace-rows.ts';
import { addRows, idsOfShard, sendWhole } from './send-shards.ts';
import { shardFile, type ShardComparison, type Shards } from './shards.ts';
import { isAsked, sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { isResults } from '../../store/results.ts';

const changedFate = { status: 'changed', reason: 'changed, not sent: the dataset holds another row under this id' } as const;

/** What is read where no file is new. */
const noRows: ShardResult = {
  source: { bytes: 0, sha256: '' },
  files: [],
  shards: [],
  rows: 0,
  sent: 0,
  rejected: 0,
  duplicates: [],
  columns: [],
  rejectsFile: '',
};

/** Ledger files of replaced rows are numbered from here, above those of rejected ones. */
const firstReplaced = 2_000_000;

/** True of rows that there may be none of: those that are asked for, and results of the run. */
export const mayBeNone = (source: SourceSpec): boolean => isAsked(source) || (typeof source === 'string' && isResults(source));

type Prepare = ActivityOf<typeof definition>['prepare'];

/** Cuts the rows of a source into shards. `mayBeEmpty`: a source without rows is one of no rows, and else refused. */
export async function prepareRows(
  input: Parameters<Prepare>[0],
  context: StepContext,
  { mayBeEmpty }: Pick<ShardRequest, 'mayBeEmpty'>,
): ReturnType<Prepare> {
  const project = await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal });
  const idField = project.unique_id_field ?? automaticIdField;
  const schema = project.schema ? schemaColumns(project.schema, idField) : undefined;
  const reading = await readingSince(context, input);
  const request = reading?.rows ?? {};
  const result =
    request.files?.length === 0
      ? noRows
      : await context.tables.shard(
          {
            ...request,
            source: input.source,
            id: input.id,
            ...(input.columns ? { columns: input.columns } : {}),
            into: context.store.path('rows', context.step, context.attemptId),
            projectId: project.id,
            idField,
            ...(schema ? { schema } : {}),
            ...(input.drift ? { drift: input.drift } : {}),
            ...(mayBeEmpty ? { mayBeEmpty } : {}),
            maxRows: context.connection('maps').batch.rows,
            maxBytes: context.connection('maps').batch.bytes,
          },
          { signal: context.signal, progress: (rows, note = 'reading') => context.progress({ done: rows, unit: 'rows', note }) },
        );
  // Of files that are read one by one the others may change.
  if (!result.files) refuseChanged(context, sourceName(input.source), { ...result.source, rows: result.since?.of ?? result.rows });
  await noteDrift(context, result);
  const since = await reading?.to(result);
  if (result !== noRows) await keepRejected(context, input.source, result);
  const before = project.total_datums_in_project;
  const shards = result.shards.length;
  const whole = isNew(project);
  const state: Shards = {
    idField,
    before,
    whole,
    rows: result.rows,
    rejected: result.rejected,
    columns: result.columns.map((each) => each.name),
    folder: context.attemptId,
    shards,
    ...(since ? { since } : {}),
  };
  return { chunks: shards, items: result.sent, state, counts: { rejected: result.rejected } };
}

const activity: ActivityOf<typeof definition> = {
  prepare: (input, context) => prepareRows(input, context, { mayBeEmpty: mayBeNone(input.source) }),

  async chunk(input, state: Shards, index, context) {
    if (state.whole) return sendWhole(input.dataset, state, index, context);
    const file = context.store.path(shardFile(context, state, index));
    // Replaced when all shards are compared: a deletion must be committed before its row is added again.
    const replaces = input.onChange === 'replace';
    const plan = await compareShard(context, { dataset: input.dataset, replaces }, state, index);
    const ids = await idsOfShard(state, index, context);
    const missing = plan.missing === 'all' ? [...ids] : plan.missing;
    const there = new Set(ids).difference(new Set(missing));
    const present = [...there.difference(new Set(plan.changed))];
    const { attempt: attempts } = context;
    if (present.length > 0) context.fates([{ items: present, fate: { status: 'present', attempts } }]);
    if (plan.changed.length > 0 && !replaces) context.fates([{ items: plan.changed, fate: { ...changedFate, attempts } }]);
    const bytes = await addRows(
      context,
      { dataset: input.dataset, idField: state.idField, file },
      { ids: missing, all: plan.missing === 'all' },
    );
    return {
      done: ids.length,
      added: missing.length,
      present: plan.present,
      changed: replaces ? 0 : plan.changed.length,
      replaced: replaces ? plan.changed.length : 0,
      bytes,
    };
  },

  async sent(_, state: Shards, index, context) {
    if (state.whole) return idsOfShard(state, index, context);
    const file = shardFile(context, state, index, 'json');
    const { missing } = (await context.store.readJson<ShardComparison>(file)) ?? { missing: [] };
    return missing === 'all' ? idsOfShard(state, index, context) : missing;
  },

  async finish(input, state: Shards, counts, context) {
    const { added, present, changed, replaced } = accountedFor(state, counts);
    const total = state.before + added;
    // What another run has added meanwhile is in the count; each row of this one was seen to be there, or was acknowledged.
    const left = state.since && (await wasMoved(context, state.since)) ? await leaveMark(context, state.since) : undefined;
    if (replaced > 0) await replaceChanged(context, input.dataset, state, { before: total });
    if (!left) await checkCount(context, input.dataset, state.before, added);
    const since = state.since && sinceOutput(state.since, left ?? (await setMark(context, state.since)));
    return {
      dataset: input.dataset,
      rows: state.rows,
      added,
      present,
      changed,
      replaced,
      rejected: state.rejected,
      columns: state.columns,
      ...(since ? { since } : {}),
    };
  },
};
export default activity;

/** Fails with `Inconclusive` where a dataset does not come to hold the rows that were there and those that were added. */
export async function checkCount(context: StepContext, dataset: string, before: number, added: number): Promise<void> {
  const total = before + added;
  const project = await awaitDataset(context, dataset, (now) => now.total_datums_in_project === total);
  if (project.total_datums_in_project !== total) {
    throw new Inconclusive(
      `the service counts ${project.total_datums_in_project} rows; ${before} before and ${added} added make ${total}. Something else wrote to the dataset, or rows were lost`,
    );
  }
  await expectRows(context, dataset, total);
}

/** What became of the rows of a source. Fails with `Inconclusive` where of some nobody knows. */
export function accountedFor(state: Shards, { added = 0, present = 0, changed = 0, replaced = 0 }: Counts) {
  const accounted = added + present + changed + replaced + state.rejected;
  if (accounted !== state.rows)
    throw new Inconclusive(
      `the source has ${state.rows} rows, but ${accounted} are accounted for (added ${added}, present ${present}, changed ${changed}, replaced ${replaced}, rejected ${state.rejected})`,
    );
  return { added, present, changed, replaced };
}

/** Replaces what the chunks found to be other rows, deletes those that are gone, and writes their fates. `before`: rows that the dataset holds. */
export async function replaceChanged(
  context: StepContext,
  dataset: string,
  state: Shards,
  { before, gone = [] }: { before: number; gone?: readonly string[] },
): Promise<void> {
  const { shards, idField } = state;
  const replacements: Replacement[] = [];
  for (let shard = 0; shard < shards; shard++) {
    const ids = (await context.store.readJson<ShardComparison>(shardFile(context, state, shard, 'json')))?.changed ?? [];
    if (ids.length > 0) replacements.push({ file: context.store.path(shardFile(context, state, shard)), ids });
  }
  await replaceRows(context, { dataset, idField, replacements, gone, before });
  const { attempt: attempts } = context;
  for (const [at, { ids }] of replacements.entries())
    await context.store.fates(context.step, firstReplaced + at, [{ items: ids, fate: { status: 'replaced', attempts } }]);
  if (gone.length > 0)
    await context.store.fates(context.step, firstReplaced + replacements.length, [{ items: gone, fate: { status: 'deleted', attempts } }]);
}
