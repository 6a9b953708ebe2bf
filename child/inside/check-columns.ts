import { identifier } from '../../text/sql.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { idColumns } from '../id-columns.ts';
import { bindColumns, notVectors, type BoundColumn } from './rows/columns.ts';
import { columnTypeOf, stableText, vectorType } from './rows/column-types.ts';
import { firstWidth } from './rows/shard-plan.ts';
import { markProblem } from './rows/since.ts';
import { isQuery } from '../../pipelines/source-name.ts';
import { judged } from './duck-error.ts';
import { readSource, type Source } from './source.ts';

type CheckColumns = Methods['checkColumns'];

/** Up to so many bytes the values of a source are looked at before the run: a tenth of a second. */
const smallBytes = 20_000_000;

/** What column expressions make of a source, why one is refused or does not bind to it, and an id that stands in several rows. */
export const checkColumns = (request: CheckColumns['input'], context: ChildContext): Promise<CheckColumns['output']> =>
  readSource(request.source, context, (source) => checked(source, request), { ids: idColumns(request.id, request.columns) });

async function checked(source: Source, { source: spec, columns, id, since }: CheckColumns['input']): Promise<CheckColumns['output']> {
  const { bound, findings } = await bindColumns(source, columns);
  // Each look at a query is a run of it, and it may take as long as the whole request.
  const isLooked = source.bytes <= smallBytes && !isQuery(spec);
  const wrongMark = since === undefined ? undefined : await markProblem(source, since, bound, isLooked);
  const hasId = id !== undefined && source.columns.some(({ name }) => name === id);
  const rows = isQuery(spec) ? {} : isLooked && hasId ? await lookAtIds(source, id) : await lookForRow(source);
  const vectors = bound.find(({ family }) => family === 'vector');
  const width = vectors && (await widthIn(source, vectors));
  return {
    source: source.columns.map(({ name }) => name),
    columns: bound.map(({ name, family }) => ({
      name,
      type: columnTypeOf[family],
      ...(family === 'vector' && typeof width === 'number' && { width }),
    })),
    findings: [
      ...findings.map(({ verdict: _verdict, ...said }) => said),
      ...(vectors && width === 'none' ? [notVectors(vectors, source.columns)] : []),
    ],
    ...rows,
    ...(wrongMark === undefined ? {} : { wrongMark }),
  };
}

type LookedRows = Pick<CheckColumns['output'], 'empty' | 'repeated' | 'unnamed'>;

async function lookForRow({ name, engine, relation }: Source): Promise<LookedRows> {
  const [row] = await judged(name, () => engine.rows(`select 1 from ${relation} limit 1`));
  return row === undefined ? { empty: true } : {};
}

/** The id that stands in most rows, and how many rows have none, in one pass. */
async function lookAtIds({ name, engine, relation, columns }: Source, column: string): Promise<LookedRows> {
  const { type } = columns.find((each) => each.name === column)!;
  const [found] = await judged(name, () =>
    engine.rows(
      `select id, "rows"::integer as "rows", (sum("rows") filter (where coalesce(id, '') = '') over ())::integer as unnamed
       from (select ${stableText(identifier(column), type)} as id, count(*) as "rows" from ${relation} group by 1)
       order by id is null, "rows" desc, id limit 1`,
    ),
  );
  if (found === undefined) return { empty: true };
  const { id, rows, unnamed } = found;
  return {
    ...(id !== null && Number(rows) > 1 ? { repeated: { id: id as string, rows: Number(rows) } } : {}),
    ...(unnamed === null ? {} : { unnamed: Number(unnamed) }),
  };
}

/** Numbers of the vectors of a column; `none` where it has values and none of them is a vector, undefined where nobody looks. */
async function widthIn(source: Source, column: BoundColumn): Promise<number | 'none' | undefined> {
  const fixed = vectorType(column.type)?.width;
  if (fixed !== undefined || source.bytes > smallBytes) return fixed;
  const width = await firstWidth(source, column);
  if (width !== undefined) return width;
  const [value] = await source.engine.rows(`select 1 from ${source.relation} where (${column.sql}) is not null limit 1`);
  return value && 'none';
}
