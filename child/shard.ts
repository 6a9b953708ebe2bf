import { mkdir, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ChildContext } from './protocol.ts';
import type { Source } from './source.ts';
import { judged } from './duck-error.ts';
import { rowFingerprint, rowKey } from './row-key.ts';
import { planShards, type ShardPlan } from './shard-plan.ts';
import { createShardBuilder, type ShardValue } from './shard-writer.ts';
import { openSource } from './source.ts';
import { BadInput, type RejectedRow, type ShardRequest, type ShardResult } from './tables.ts';

/** Rows per query: what is held in JavaScript at once beside the shard being filled, about `bytes` of values. */
const block = { first: 1_024, least: 64, most: 20_480, bytes: 8 * 1024 * 1024 };

const duplicatesShown = { ids: 1_000, rows: 20 };

/** Loads the source as the table `mapped`: row by row what the columns say, spilled to disk beyond the memory limit. */
async function load(source: Source, plan: ShardPlan, request: ShardRequest): Promise<number> {
  const { engine } = source;
  const items = 'row' in request.id ? [...plan.mapped, `${rowFingerprint(source.columns)} as fingerprint`] : plan.mapped;
  await judged(source.name, () => engine.run(`create table mapped as select ${items.join(', ')} from ${source.relation}`));
  const [counted] = await engine.rows('select count(*)::double as n from mapped');
  const rows = Number(counted!['n']);
  if (rows === 0) throw new BadInput('bad_input', `${source.name}: has no rows`);
  if ('row' in request.id)
    await judged(source.name, () =>
      engine.run(
        `create table repeated as select rowid as place, row_number() over (partition by fingerprint order by rowid) as occurrence from mapped
         where fingerprint in (select fingerprint from mapped group by fingerprint having count(*) > 1) order by place`,
      ),
    );
  return rows;
}

async function findDuplicates({ engine }: Source): Promise<ShardResult['duplicates']> {
  const rows = await engine.rows(
    `select key as id, list(rowid + 1 order by rowid)[1:${duplicatesShown.rows}]::double[] as places from mapped
     where key <> '' and length(key) <= 36 group by key having count(*) > 1 order by min(rowid) limit ${duplicatesShown.ids}`,
  );
  return rows.map((row) => ({ id: String(row['id']), rows: row['places'] as number[] }));
}

/** Blocks of rows in the order of the source: place, id, reason, values. */
async function* blocks(source: Source, plan: ShardPlan, request: ShardRequest, rows: number): AsyncGenerator<ShardValue[][]> {
  const byRow = 'row' in request.id;
  const id = byRow ? rowKey('fingerprint', 'coalesce(occurrence, 1)') : 'key';
  const reason = plan.reasons.length === 0 ? 'null::varchar' : `nullif(concat_ws('; ', ${plan.reasons.join(', ')}), '')`;
  const items = ['(mapped.rowid + 1)::double', id, reason, ...plan.columns.map(({ sql }) => sql)];
  let size = block.first;
  for (let from = 0; from < rows;) {
    const range = (place: string): string => `${place} between ${from} and ${from + size - 1}`;
    const joined = byRow ? `left join (select * from repeated where ${range('place')}) on mapped.rowid = place` : '';
    const result = await judged(source.name, () =>
      source.engine.connection.runAndReadAll(
        `select ${items.join(', ')} from mapped ${joined} where ${range('mapped.rowid')} order by mapped.rowid`,
      ),
    );
    const values = result.getRows() as ShardValue[][];
    yield values;
    from += size;
    const bytes = values.reduce(
      (sum, row) => sum + row.reduce<number>((part, value) => part + (typeof value === 'string' ? value.length : 8), 0),
      0,
    );
    size = Math.round(Math.min(block.most, Math.max(block.least, (block.bytes * values.length) / Math.max(1, bytes))));
  }
}

/** Source → Arrow shards and `rejects.jsonl` in `into`, which appears whole or not at all. */
export async function shard(request: ShardRequest, context: ChildContext): Promise<ShardResult> {
  await using source = await openSource(request.source, context);
  const plan = await planShards(source, request);
  const rows = await load(source, plan, request);
  const columns = [{ name: request.idField, type: 'string' as const }, ...plan.columns.map(({ name, type }) => ({ name, type }))];
  const result: ShardResult = {
    shards: [],
    rows,
    sent: 0,
    rejected: 0,
    duplicates: [],
    columns,
    rejectsFile: join(request.into, 'rejects.jsonl'),
  };
  const folder = join(dirname(request.into), `.${basename(request.into)}.partial`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const rejects = await open(join(folder, 'rejects.jsonl'), 'w');
  try {
    if ('column' in request.id) result.duplicates = await findDuplicates(source);
    if (result.duplicates.length === 0) await fill(folder, rejects);
  } finally {
    await rejects.close();
  }
  await rm(request.into, { recursive: true, force: true });
  await rename(folder, request.into);
  return result;

  async function fill(into: string, rejectsFile: FileHandle): Promise<void> {
    const builder = createShardBuilder(columns, request, request.projectId);
    const flush = async (): Promise<void> => {
      const { bytes, rows: count } = builder.take();
      const name = `shard-${String(result.shards.length).padStart(5, '0')}.arrow`;
      await writeFile(join(into, name), bytes);
      result.shards.push({ file: join(request.into, name), rows: count, bytes: bytes.byteLength });
    };
    for await (const part of blocks(source, plan, request, rows)) {
      const refused: RejectedRow[] = [];
      for (const [place, id, reason, ...values] of part) {
        const row = [id!, ...values];
        const size = builder.sizeOf(row);
        const refusal =
          reason ??
          (builder.overhead + size > request.maxBytes
            ? `row of ${Math.ceil(size)} bytes, too long for a shard of ${request.maxBytes}`
            : null);
        if (refusal !== null) {
          refused.push({ row: Number(place), id: id as string | null, reason: String(refusal) });
          continue;
        }
        if (builder.rows > 0 && !builder.fits(size)) await flush();
        builder.add(row, size);
        result.sent += 1;
      }
      result.rejected += refused.length;
      if (refused.length > 0) await rejectsFile.appendFile(refused.map((line) => `${JSON.stringify(line)}\n`).join(''));
      context.progress(result.sent + result.rejected);
    }
    if (builder.rows > 0) await flush();
  }
}
