import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput, type RejectedRow } from '../child/tables.ts';
import { shardBytes, shardRows, type definition } from '../pipelines/steps/dataset-append.ts';
import type { ActivityOf } from './activity-of.ts';
import type { StepContext } from './context.ts';
import { schemaColumns } from './dataset-schema.ts';
import { readKnownRows } from './known-rows.ts';
import { sameRow } from './same-row.ts';
import { checkTolerance } from './tolerance.ts';

type State = {
  idField: string;
  /** Rows that the dataset held before the first write of this step. */
  before: number;
  rows: number;
  rejected: number;
  columns: string[];
};

/** Decided before a shard is sent and kept: a repeat after a crash must not count its own rows as present. */
type ShardPlan = { missing: string[] | 'all'; present: number; changed: string[] };

const folder = (context: StepContext): string => context.store.path('rows', context.step);
const shardFile = (context: StepContext, index: number): string => join(folder(context), `shard-${String(index).padStart(5, '0')}.arrow`);

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const project = await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal });
    const idField = project.unique_id_field ?? 'id_';
    await checkUnchanged(context, input.source);
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
      { signal: context.signal, progress: (rows) => context.progress({ done: rows, unit: 'rows', note: 'reading' }) },
    );
    if (result.duplicates.length > 0) {
      const [first] = result.duplicates;
      throw new BadInput(
        'bad_input',
        `${result.duplicates.length} id${result.duplicates.length === 1 ? '' : 's'} of ${input.source} stand in more than one row: first "${first!.id}" in rows ${first!.rows.slice(0, 3).join(', ')}; nothing was sent. Make the ids unique, or use id: { row: true }`,
      );
    }
    const rejects = (await readFile(result.rejectsFile, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RejectedRow);
    const perPart = 5_000;
    for (let at = 0; at < rejects.length; at += perPart) {
      const part = rejects
        .slice(at, at + perPart)
        .map((row) => ({ item: row.id ?? `row ${row.row}`, status: 'rejected' as const, reason: row.reason, attempts: 1 }));
      await context.store.items(context.step, 1_000_000 + at / perPart, part);
    }
    checkTolerance(context, 'rejected', result.rejected, result.rows, rejects[0] && `row ${rejects[0].row}: ${rejects[0].reason}`);
    const state: State = {
      idField,
      before: project.total_datums_in_project,
      rows: result.rows,
      rejected: result.rejected,
      columns: result.columns.map((each) => each.name),
    };
    return { chunks: result.shards.length, items: result.sent, state, counts: { rejected: result.rejected } };
  },

  async chunk(input, state: State, index, context) {
    const file = shardFile(context, index);
    const shard = await context.tables.readShard(file);
    const plan = await shardPlan(context, `rows/${context.step}/shard-${String(index).padStart(5, '0')}.json`, async () => {
      if (state.before === 0) return { missing: 'all', present: 0, changed: [] };
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
    let request_id: string | undefined;
    if (missing.length > 0) {
      const body = plan.missing === 'all' ? await readFile(file) : await context.tables.pickRows(file, missing);
      await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
    }
    const isMissing = new Set(missing);
    const isChanged = new Set(plan.changed);
    await context.store.items(
      context.step,
      index,
      shard.ids.map((item) =>
        isMissing.has(item)
          ? { item, status: 'added', attempts: context.attempt, ...(request_id === undefined ? {} : { request_id }) }
          : isChanged.has(item)
            ? {
                item,
                status: 'changed',
                reason: 'changed, not sent: the dataset holds another row under this id',
                attempts: context.attempt,
              }
            : { item, status: 'present', attempts: context.attempt },
      ),
    );
    return { done: shard.ids.length, added: missing.length, present: plan.present, changed: plan.changed.length };
  },

  async finish(input, state: State, counts, context) {
    const { added = 0, present = 0, changed = 0 } = counts;
    const accounted = added + present + changed + state.rejected;
    if (accounted !== state.rows)
      throw new BadInput(
        'bad_input',
        `the source has ${state.rows} rows, but ${accounted} are accounted for (added ${added}, present ${present}, changed ${changed}, rejected ${state.rejected})`,
      );
    const project = await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal });
    if (project.total_datums_in_project !== state.before + added) {
      throw new BadInput(
        'bad_input',
        `the service counts ${project.total_datums_in_project} rows; ${state.before} before and ${added} added make ${state.before + added}. Something else wrote to the dataset, or rows were lost`,
      );
    }
    return { dataset: input.dataset, rows: state.rows, added, present, changed, rejected: state.rejected, columns: state.columns };
  },
};
export default activity;

/** The run was planned and checked on the bytes of its start. */
async function checkUnchanged(context: StepContext, source: string): Promise<void> {
  const then = context.sources[source];
  if (!then) return;
  const now = await context.tables.inspect(source, { signal: context.signal });
  if (now.sha256 !== then.sha256) {
    throw new BadInput(
      'bad_input',
      `${source} changed since the run started (${then.bytes} bytes then, ${now.bytes} now); nothing was sent. Run again with the file as it is`,
    );
  }
}

async function shardPlan(context: StepContext, name: string, decide: () => Promise<ShardPlan>): Promise<ShardPlan> {
  const kept = await context.store.readJson<ShardPlan>(name);
  if (kept) return kept;
  const plan = await decide();
  await context.store.writeJson(name, plan);
  return plan;
}
