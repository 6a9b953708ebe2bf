import { identifier } from '../../text/sql.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { bindColumns } from './rows/columns.ts';
import { columnTypeOf } from './rows/column-types.ts';
import { readSource, type Source } from './source.ts';

type CheckColumns = Methods['checkColumns'];

/** Up to so many bytes all ids of a source are looked at before the run: a tenth of a second. */
const smallBytes = 20_000_000;

/** What column expressions make of a source, why one is refused or does not bind to it, and an id that stands in several rows. */
export const checkColumns = (
  { source: spec, columns, id }: CheckColumns['input'],
  context: ChildContext,
): Promise<CheckColumns['output']> =>
  readSource(spec, context, async (source) => {
    const { bound, findings } = await bindColumns(source, columns);
    const repeated = id !== undefined && source.bytes <= smallBytes ? await repeatedId(source, id) : undefined;
    return {
      source: source.columns.map(({ name }) => name),
      columns: bound.map(({ name, family }) => ({ name, type: columnTypeOf[family] })),
      findings: findings.map(({ verdict: _verdict, ...said }) => said),
      ...(repeated === undefined ? {} : { repeated }),
    };
  });

async function repeatedId({ engine, columns, relation }: Source, id: string): Promise<CheckColumns['output']['repeated']> {
  if (!columns.some(({ name }) => name === id)) return undefined;
  const [found] = await engine.rows(
    `select ${identifier(id)}::varchar as id, count(*)::integer as "rows" from ${relation} where ${identifier(id)} is not null group by 1 having count(*) > 1 order by 2 desc, 1 limit 1`,
  );
  return found && { id: String(found['id']), rows: Number(found['rows']) };
}
