import type { ChildContext, Methods } from '../protocol.ts';
import { bindColumns } from './rows/columns.ts';
import { columnTypeOf } from './rows/column-types.ts';
import { readSource } from './source.ts';

/** What column expressions make of a source, and why one is refused or does not bind to it. */
export const checkColumns = (
  { source: spec, columns }: Methods['checkColumns']['input'],
  context: ChildContext,
): Promise<Methods['checkColumns']['output']> =>
  readSource(spec, context, async (source) => {
    const { bound, findings } = await bindColumns(source, columns);
    return {
      source: source.columns.map(({ name }) => name),
      columns: bound.map(({ name, family }) => ({ name, type: columnTypeOf[family] })),
      findings: findings.map(({ column, message }) => ({ column, message })),
    };
  });
