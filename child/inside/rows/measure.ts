import type { Methods, ChildContext } from '../../protocol.ts';
import { judged } from '../duck-error.ts';
import { readSource, type Source } from '../source.ts';
import { idsOf, planShards, type ShardPlan } from './shard-plan.ts';
import { columnsOf, driftIn, load, reasonSql } from './shard.ts';
import { createFill, shardSizes } from './shard-writer.ts';

type Measure = Methods['measure'];

/** Sizes read at a time. */
const block = 100_000;

/** As long as any id of a dataset: it stands in the metadata of each shard. */
const anyProject = '0'.repeat(36);

/** Bytes of an id that is made of the row. */
const keyBytes = 24;

/** A size counts a bit for each value that may be null, beside at least four bytes. */
const surely = 0.96;

/** What adding a table would send: cut as `shard` cuts it, by the sizes of the rows, none of which is made. */
export const measure = (request: Measure['input'], context: ChildContext): Promise<Measure['output']> =>
  readSource(request.source, context, (source) => measured(source, request, context), {
    only: request.files,
    ids: idsOf(request),
  });

async function measured(source: Source, request: Measure['input'], context: ChildContext): Promise<Measure['output']> {
  const plan = await planShards(source, request);
  const { rows, since } = await load(source, plan, request, context);
  const columns = columnsOf(plan, request);
  const { overhead, width } = shardSizes(columns, anyProject);
  const size = sizeSql(plan, request, width);
  const fill = createFill(request, overhead);
  const cut = { sent: 0, shards: 0 };
  let values = 0;
  for (let from = 0; from < rows; from += block) {
    const sizes = await judged(source.name, () =>
      source.engine.rows(`select ${size} as size from own.mapped where rowid between ${from} and ${from + block - 1} order by rowid`),
    );
    for (const { size: bytes } of sizes) {
      if (typeof bytes !== 'number' || !fill.takes(bytes)) continue;
      if (cut.shards === 0 || !fill.fits(bytes)) {
        cut.shards += 1;
        fill.empty();
      }
      fill.add(bytes);
      cut.sent += 1;
      values += bytes;
    }
  }
  const arrowBytes: [number, number] = [Math.floor(surely * values), Math.ceil(values + cut.shards * overhead)];
  return { ...cut, rows, bytes: source.bytes, arrowBytes, columns: columns.slice(1), ...driftIn(plan), ...(since ? { since } : {}) };
}

/** SQL of the bytes that a row takes; null where it is refused. */
function sizeSql(plan: ShardPlan, { id }: Measure['input'], width: number): string {
  const texts = plan.columns.flatMap(({ type, sql }) => (type === 'string' ? [`strlen(${sql})`] : []));
  const key = 'row' in id ? String(keyBytes) : 'strlen(key)';
  return `case when ${reasonSql(plan)} is null then (${[width, key, ...texts].join(' + ')})::double end`;
}
