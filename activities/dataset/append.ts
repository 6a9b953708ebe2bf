import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { idsFileOf, readIds } from '../../child/ids-files.ts';
import { Inconclusive } from '../../errors/classes.ts';
import type { ShardRows } from '../../child/tables.ts';
import type { Counts } from '../../pipelines/step.ts';
import { shardBytes, shardRows, type definition } from '../../pipelines/steps/dataset/append.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import { schemaColumns } from './schema.ts';
import { readKnownRows } from './known-rows.ts';
import { keepRejected } from './rejected-rows.ts';
import { sameRow } from './same-row.ts';
import { countOf, type EncodedTexts } from '../../store/parquet-page.ts';
import type { FateGroup } from '../../store/run-store.ts';

const changedFate = {
  report: { status: 'changed', reason: 'changed, not sent: the dataset holds another row under this id' },
  replace: { status: 'replaced' },
} as const;

type State = {
  idField: string;
  /** Rows that the dataset held before the first write of this step. */
  before: number;
  rows: number;
  rejected: number;
  columns: string[];
  /** Shards in all and in a chunk; absent in runs that were begun when a chunk was one shard. */
  shards?: number;
  perChunk?: number;
};

/** Of a source with more shards than this, sent whole, a chunk is two of them: an activity costs as much as its sending. */
const manyShards = 100;

/** Decided before a shard is sent and kept: a repeat after a crash must not count its own rows as present. */
type ShardPlan = { missing: string[] | 'all'; present: number; changed: string[] };

const folder = (context: StepContext): string => context.store.path('rows', context.step);
const shardFile = (context: StepContext, index: number): string => join(folder(context), `shard-${String(index).padStart(5, '0')}.arrow`);

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const project = await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal });
    const idField = project.unique_id_field ?? 'id_';
    const schema = project.schema ? schemaColumns(project.schema, idField) : undefined;
    const result = await context.tables.shard(
      {
        source: input.source,
        id: input.id,
        ...(input.columns ? { columns: input.columns } : {}),
        into: folder(context),
        projectId: project.id,
        idField,
        ...(schema ? { schema } : {}),
        maxRows: shardRows,
        maxBytes: shardBytes,
      },
      { signal: context.signal, progress: (rows, note = 'reading') => context.progress({ done: rows, unit: 'rows', note }) },
    );
    refuseChanged(context, input.source, { ...result.source, rows: result.rows });
    await keepRejected(context, input.source, result);
    const before = project.total_datums_in_project;
    const shards = result.shards.length;
    const perChunk = before === 0 && shards > manyShards ? 2 : 1;
    const state: State = {
      idField,
      before,
      rows: result.rows,
      rejected: result.rejected,
      columns: result.columns.map((each) => each.name),
      shards,
      perChunk,
    };
    return { chunks: Math.ceil(shards / perChunk), items: result.sent, state, counts: { rejected: result.rejected } };
  },

  async chunk(input, state: State, index, context) {
    if (state.before === 0) return sendWhole(state, index, context);
    const file = shardFile(context, index);
    const shard = await context.tables.readShard(file);
    const plan = await shardPlan(context, `rows/${context.step}/shard-${String(index).padStart(5, '0')}.json`, async () => {
      const known = await readKnownRows(context, input.dataset, state.idField, shard.ids);
      const missing = shard.ids.filter((id) => !known.has(id));
      const changed = shard.ids.filter((id, row) => known.has(id) && !sameRow(shard.rows[row]!, known.get(id)!));
      return {
        missing: missing.length === shard.ids.length ? 'all' : missing,
        present: shard.ids.length - missing.length - changed.length,
        changed,
      };
    });
    const missing = plan.missing === 'all' ? shard.ids : plan.missing;
    const replaced = input.onChange === 'replace' ? plan.changed : [];
    const stale = await deleteReplaced(context, input.dataset, state.idField, shard, replaced);
    const wanted = [...missing, ...stale];
    let request_id: string | undefined;
    let bytes = 0;
    if (wanted.length > 0) {
      const body = plan.missing === 'all' ? await readFile(file) : await context.tables.pickRows(file, wanted);
      bytes = body.byteLength;
      await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
    }
    if (stale.length > 0) context.intents().done(replacing, null);
    const isMissing = new Set(missing);
    const isChanged = new Set(plan.changed);
    await context.store.items(
      context.step,
      index,
      shard.ids.map((item) =>
        isMissing.has(item)
          ? { item, status: 'added', attempts: context.attempt, ...(request_id === undefined ? {} : { request_id }) }
          : isChanged.has(item)
            ? { item, ...changedFate[input.onChange], attempts: context.attempt }
            : { item, status: 'present', attempts: context.attempt },
      ),
    );
    return {
      done: shard.ids.length,
      added: missing.length,
      present: plan.present,
      changed: plan.changed.length - replaced.length,
      replaced: replaced.length,
      bytes,
    };
  },

  async finish(input, state: State, counts, context) {
    const { added = 0, present = 0, changed = 0, replaced = 0 } = counts;
    const accounted = added + present + changed + replaced + state.rejected;
    if (accounted !== state.rows)
      throw new Inconclusive(
        `the source has ${state.rows} rows, but ${accounted} are accounted for (added ${added}, present ${present}, changed ${changed}, replaced ${replaced}, rejected ${state.rejected})`,
      );
    const project = await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal });
    if (project.total_datums_in_project !== state.before + added) {
      throw new Inconclusive(
        `the service counts ${project.total_datums_in_project} rows; ${state.before} before and ${added} added make ${state.before + added}. Something else wrote to the dataset, or rows were lost`,
      );
    }
    return {
      dataset: input.dataset,
      rows: state.rows,
      added,
      present,
      changed,
      replaced,
      rejected: state.rejected,
      columns: state.columns,
    };
  },
};
export default activity;

/** Deleting and adding are two calls, and one intent. */
const replacing = 'replace rows';

/**
 * Deletes the rows that are to be replaced, and answers which were: where it was begun before, some of them may stand there
 * anew, and a second deletion would take the new row away.
 */
async function deleteReplaced(context: StepContext, dataset: string, idField: string, shard: ShardRows, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return ids;
  const intents = context.intents();
  const begun = context.lookUp && intents.state(replacing).is !== 'new';
  const stale = begun ? await stillOther(context, dataset, idField, shard, ids) : ids;
  if (stale.length === 0) return stale;
  await intents.begin(replacing, { operation: 'maps.data.delete' });
  await context.maps.data.delete({ project_id: dataset, datum_ids: stale }, { signal: context.signal }).catch((error: unknown) => {
    if (!begun && hadNoEffect(error)) intents.withdraw(replacing);
    throw error;
  });
  return stale;
}

/** Which of the rows the dataset holds otherwise, or not at all, once what was sent before can no longer land. */
async function stillOther(context: StepContext, dataset: string, idField: string, shard: ShardRows, ids: string[]): Promise<string[]> {
  await sleep(context.connection.settleMs, undefined, { signal: context.signal });
  const known = await readKnownRows(context, dataset, idField, ids);
  const rows = new Map(shard.ids.map((id, at) => [id, shard.rows[at]!]));
  return ids.filter((id) => !known.has(id) || !sameRow(rows.get(id)!, known.get(id)!));
}

/** The dataset was empty before this step: there is nothing to compare with, and the ids are all that the ledger needs. */
async function sendWhole({ perChunk = 1, shards = Infinity }: State, index: number, context: StepContext): Promise<Counts> {
  const groups: FateGroup[] = [];
  let rows = 0;
  let bytes = 0;
  for (let shard = index * perChunk; shard < Math.min(shards, (index + 1) * perChunk); shard++) {
    const file = shardFile(context, shard);
    const [body, items] = await Promise.all([readFile(file), readShardIds(context, file)]);
    let request_id: string | undefined;
    await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
    rows += countOf(items);
    bytes += body.byteLength;
    groups.push({ items, fate: { status: 'added', attempts: context.attempt, ...(request_id === undefined ? {} : { request_id }) } });
    context.progress({ done: rows, unit: 'rows', bytes });
  }
  await context.store.fates(context.step, index, groups);
  return { done: rows, added: rows, bytes };
}

/** Ids stand beside the shard; shards of a run that an older version began have none. */
async function readShardIds(context: StepContext, file: string): Promise<EncodedTexts | string[]> {
  return readIds(idsFileOf(file)).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return (await context.tables.readShard(file)).ids;
  });
}

async function shardPlan(context: StepContext, name: string, decide: () => Promise<ShardPlan>): Promise<ShardPlan> {
  const kept = await context.store.readJson<ShardPlan>(name);
  if (kept) return kept;
  const plan = await decide();
  await context.store.writeJson(name, plan);
  return plan;
}
