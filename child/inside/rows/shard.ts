import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildContext } from '../../protocol.ts';
import type { SourceFile } from '../../source-files.ts';
import type { Source } from '../source.ts';
import { drop } from '../collect-garbage.ts';
import { judged } from '../duck-error.ts';
import { idsFileOf, writeIds } from '../../ids-files.ts';
import { writeFolder } from '../../partial-folder.ts';
import { hashOf } from '../fingerprint.ts';
import { rowFingerprint, rowKey } from './row-key.ts';
import { takeSince, writeKeys } from './since.ts';
import { readVectors } from './read-vectors.ts';
import { idsOf, planShards, type ShardPlan } from './shard-plan.ts';
import { createShardBuilder, type ShardValue } from './shard-writer.ts';
import { readSource } from '../source.ts';
import { runWithProgress } from '../run-with-progress.ts';
import { BadInput } from '../../../errors/classes.ts';
import type { ReadSince, RejectedRow, ShardRequest, ShardResult } from '../../tables.ts';
import type { DataColumn } from '../../data-column.ts';

/** File of keys that the next reading leaves out. */
const keysFile = 'keys';

/** Rows per query: what is held in JavaScript at once beside the shard being filled, about `bytes` of values. */
const block = { first: 1_024, least: 64, most: 20_480, bytes: 8 * 1024 * 1024 };

const duplicatesShown = { ids: 1_000, rows: 20 };

/** Rows that were loaded; with `since` of those that are read since a mark, and what is known of the others. */
export type Loaded = { rows: number; since?: ReadSince };

/** Loads the source as the table `mapped`: row by row what the columns say, spilled to disk beyond the memory limit. */
export async function load(
  source: Source,
  plan: ShardPlan,
  request: Pick<ShardRequest, 'id' | 'since' | 'mayBeEmpty'>,
  context: ChildContext,
): Promise<Loaded> {
  const { engine } = source;
  const table = request.since ? 'own.loaded' : 'own.mapped';
  const byRow = 'row' in request.id;
  const items = byRow || request.since ? [...plan.mapped, `${rowFingerprint(source.columns)} as fingerprint`] : plan.mapped;
  await judged(source.name, () =>
    runWithProgress(engine, `create table ${table} as select ${items.join(', ')} from ${source.relation}`, (_, rows) =>
      context.progress(rows, 'reading'),
    ),
  );
  const [counted] = await engine.rows(`select count(*)::double as n from ${table}`);
  const rows = Number(counted!['n']);
  if (rows === 0 && !request.mayBeEmpty) throw new BadInput('bad_input', `${source.name}: has no rows`);
  if (byRow)
    await judged(source.name, () =>
      runWithProgress(
        engine,
        `create table own.repeated as select rowid as place, row_number() over (partition by fingerprint order by rowid) as occurrence from ${table}
         where fingerprint in (select fingerprint from ${table} group by fingerprint having count(*) > 1) order by place`,
        (share) => context.progress(Math.floor(rows * share), 'looking for equal rows'),
      ),
    );
  return request.since ? takeSince(source, plan.since!, request.since, byRow) : { rows };
}

const isEmpty = async ({ name, engine, relation }: Source): Promise<boolean> =>
  (await judged(name, () => engine.rows(`select 1 from ${relation} limit 1`))).length === 0;

/** Number of a row in its source, from 1. */
const rowNumber = ({ since }: Pick<ShardPlan, 'since'>): string => (since ? 'mapped.place + 1' : 'mapped.rowid + 1');

/** Ids of `own.mapped` that stand in more than one row. */
export async function findDuplicates(
  { engine }: Pick<Source, 'engine'>,
  plan: Pick<ShardPlan, 'since'> = {},
): Promise<ShardResult['duplicates']> {
  const rows = await engine.rows(
    // By hash first, which is all that is held of the many ids that stand there once.
    `select key as id, list(${rowNumber(plan)} order by rowid)[1:${duplicatesShown.rows}]::double[] as places from own.mapped
     where key <> '' and length(key) <= 36 and hash(key) in (select hash(key) as h from own.mapped group by h having count(*) > 1)
     group by key having count(*) > 1 order by min(rowid) limit ${duplicatesShown.ids}`,
  );
  return rows.map((row) => ({ id: String(row['id']), rows: row['places'] as number[] }));
}

/** SQL of why a row is refused; null where it is not. */
export const reasonSql = ({ reasons }: ShardPlan): string =>
  reasons.length === 0 ? 'null::varchar' : `nullif(concat_ws('; ', ${reasons.join(', ')}), '')`;

/** Blocks of rows in the order of the source: place, id, reason, values. */
async function* blocks(source: Source, plan: ShardPlan, request: ShardRequest, rows: number): AsyncGenerator<ShardValue[][]> {
  const byRow = 'row' in request.id;
  const id = byRow ? rowKey('fingerprint', 'coalesce(occurrence, 1)') : 'key';
  const reason = reasonSql(plan);
  const items = [`(${rowNumber(plan)})::double`, id, reason, ...plan.columns.map(({ type, sql }) => (type === 'vector' ? 'null' : sql))];
  const vectors = plan.columns.flatMap(({ type, width, sql }, at) => (type === 'vector' ? [{ place: at + 3, width: width!, sql }] : []));
  let size = block.first;
  for (let from = 0; from < rows;) {
    const range = (place: string): string => `${place} between ${from} and ${from + size - 1}`;
    const joined = byRow && !plan.since ? `left join (select * from own.repeated where ${range('place')}) on mapped.rowid = place` : '';
    const result = await judged(source.name, () =>
      source.engine.connection.runAndReadAll(
        `select ${items.join(', ')} from own.mapped ${joined} where ${range('mapped.rowid')} order by mapped.rowid`,
      ),
    );
    const values = result.getRows() as ShardValue[][];
    for (const { place, width, sql } of vectors) {
      const numbers = await readVectors(
        source,
        `select ${sql} from own.mapped where ${range('rowid')} order by rowid`,
        values.length,
        width,
      );
      values.forEach((row, at) => (row[place] = numbers.subarray(at * width, (at + 1) * width)));
    }
    yield values;
    from += size;
    const bytes = values.reduce(
      (sum, row) =>
        sum +
        row.reduce<number>(
          (part, value) => part + (typeof value === 'string' ? value.length : value instanceof Float32Array ? value.byteLength : 8),
          0,
        ),
      0,
    );
    size = Math.round(Math.min(block.most, Math.max(block.least, (block.bytes * values.length) / Math.max(1, bytes))));
  }
}

/** The columns of a shard, the id first. */
export const columnsOf = ({ columns }: ShardPlan, { idField }: Pick<ShardRequest, 'idField'>): DataColumn[] => [
  { name: idField, type: 'string' },
  ...columns.map(({ sql: _sql, ...column }) => column),
];

/** How source and dataset differ, as the result of a cut says it. */
export const driftIn = ({ drift }: ShardPlan): Pick<ShardResult, 'drift'> => (drift ? { drift } : {});

/** What is known of the rows besides the batches that they are sent in. */
export type CutRows = Omit<ShardResult, 'shards' | 'rejectsFile' | 'since'> & { since?: ReadSince };

/**
 * Cuts the rows of a source into batches in their order and hands over each one: the bytes of an Arrow file of one
 * record batch, and its ids. What is refused goes into `rejects.jsonl` of the folder. Nothing is handed over where ids repeat.
 */
export const cutRows = (
  request: ShardRequest,
  context: ChildContext,
  folder: string,
  take: (bytes: Uint8Array, ids: string[]) => Promise<void>,
): Promise<CutRows> =>
  readSource(
    request.source,
    context,
    async (source) => {
      const cut = await cutOpened(source, request, context, folder, take);
      const files = request.files && (await Promise.all(source.tables[0]!.files.map(printed)));
      return { ...cut, ...(files ? { files } : {}), source: { bytes: source.bytes, sha256: await source.sha256() } };
    },
    { only: request.files, ids: idsOf(request) },
  );

const printed = async ({ name, path }: SourceFile) => ({ name, sha256: await hashOf(path) });

async function cutOpened(
  source: Source,
  request: ShardRequest,
  context: ChildContext,
  folder: string,
  take: (bytes: Uint8Array, ids: string[]) => Promise<void>,
): Promise<Omit<CutRows, 'source'>> {
  await using rejects = await open(join(folder, 'rejects.jsonl'), 'w');
  const plan = await planShards(source, request).catch(async (error: unknown) => {
    // Results of no row say of no column what it holds.
    if (!request.mayBeEmpty || request.since || !(await isEmpty(source))) throw error;
    return undefined;
  });
  if (!plan) return { rows: 0, sent: 0, rejected: 0, duplicates: [], columns: [] };
  const { rows, since } = await load(source, plan, request, context);
  const columns = columnsOf(plan, request);
  const result: Omit<CutRows, 'source'> = {
    rows,
    sent: 0,
    rejected: 0,
    duplicates: [],
    columns,
    ...driftIn(plan),
    ...(since ? { since } : {}),
  };
  if (since) await writeKeys(source, join(folder, keysFile));
  if ('column' in request.id) result.duplicates = await findDuplicates(source, plan);
  if (result.duplicates.length > 0) return result;

  const builder = createShardBuilder(columns, request, request.projectId);
  let ids: string[] = [];
  const flush = async (): Promise<void> => {
    const { bytes } = builder.take();
    await take(bytes, ids);
    ids = [];
    drop(bytes.byteLength);
  };
  for await (const part of blocks(source, plan, request, rows)) {
    const refused: RejectedRow[] = [];
    for (const [place, id, reason, ...values] of part) {
      const row = [id!, ...values];
      const size = builder.sizeOf(row);
      const refusal =
        reason ?? (builder.takes(size) ? null : `row of ${Math.ceil(size)} bytes, too long for a shard of ${request.maxBytes}`);
      if (refusal !== null) {
        refused.push({ row: Number(place), id: id as string | null, reason: String(refusal) });
        continue;
      }
      if (builder.rows > 0 && !builder.fits(size)) await flush();
      builder.add(row, size);
      ids.push(String(id));
      result.sent += 1;
    }
    result.rejected += refused.length;
    if (refused.length > 0) await rejects.appendFile(refused.map((line) => `${JSON.stringify(line)}\n`).join(''));
    context.progress(result.sent + result.rejected, 'making shards');
  }
  if (builder.rows > 0) await flush();
  return result;
}

/** Source → Arrow shards and `rejects.jsonl` in `into`, which appears whole or not at all. */
export const shard = (request: ShardRequest, context: ChildContext): Promise<ShardResult> =>
  writeFolder(request.into, async (folder) => {
    const shards: ShardResult['shards'] = [];
    const cut = await cutRows(request, context, folder, async (bytes, ids) => {
      const name = `shard-${String(shards.length).padStart(5, '0')}.arrow`;
      await writeFile(join(folder, name), bytes);
      await writeIds(idsFileOf(join(folder, name)), ids);
      shards.push({ file: join(request.into, name), rows: ids.length, bytes: bytes.byteLength });
    });
    const { since, ...rows } = cut;
    return {
      ...rows,
      shards,
      rejectsFile: join(request.into, 'rejects.jsonl'),
      ...(since ? { since: { ...since, keys: join(request.into, keysFile) } } : {}),
    };
  });
