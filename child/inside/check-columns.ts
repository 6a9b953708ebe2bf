import { identifier } from '../../text/sql.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { bindColumns, notVectors, type BoundColumn } from './rows/columns.ts';
import { columnTypeOf, vectorType } from './rows/column-types.ts';
import { firstWidth } from './rows/shard-plan.ts';
import { markProblem } from './rows/since.ts';
import { readSource, type Source } from './source.ts';

type CheckColumns = Methods['checkColumns'];

/** Up to so many bytes all ids of a source are looked at before the run: a tenth of a second. */
const smallBytes = 20_000_000;

/** What column expressions make of a source, why one is refused or does not bind to it, and an id that stands in several rows. */
export const checkColumns = (
  { source: spec, columns, id, since }: CheckColumns['input'],
  context: ChildContext,
): Promise<CheckColumns['output']> =>
  readSource(spec, context, async (source) => {
    const { bound, findings } = await bindColumns(source, columns);
    const isLooked = id !== undefined && source.bytes <= smallBytes && source.columns.some(({ name }) => name === id);
    const repeated = isLooked ? await repeatedId(source, id) : undefined;
    const unnamed = isLooked ? await withoutId(source, id) : 0;
    const wrongMark = since === undefined ? undefined : await markProblem(source, since, bound, source.bytes <= smallBytes);
    const [row] = await source.engine.rows(`select 1 from ${source.relation} limit 1`);
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
      ...(row === undefined ? { empty: true } : {}),
      ...(repeated === undefined ? {} : { repeated }),
      ...(unnamed === 0 ? {} : { unnamed }),
      ...(wrongMark === undefined ? {} : { wrongMark }),
    };
  });

async function repeatedId({ engine, relation }: Source, id: string): Promise<CheckColumns['output']['repeated']> {
  const [found] = await engine.rows(
    `select ${identifier(id)}::varchar as id, count(*)::integer as "rows" from ${relation} where ${identifier(id)} is not null group by 1 having count(*) > 1 order by 2 desc, 1 limit 1`,
  );
  return found && { id: String(found['id']), rows: Number(found['rows']) };
}

async function withoutId({ engine, relation }: Source, id: string): Promise<number> {
  const [found] = await engine.rows(
    `select count(*)::integer as "rows" from ${relation} where coalesce(${identifier(id)}::varchar, '') = ''`,
  );
  return Number(found!['rows']);
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
