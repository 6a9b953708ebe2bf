import type { ChildContext, Methods } from '../protocol.ts';
import { bindColumns } from './rows/columns.ts';
import { readSource } from './source.ts';

/** One finding per column expression that is refused or does not bind to the source. */
export const checkColumns = (
  { source: spec, columns }: Methods['checkColumns']['input'],
  context: ChildContext,
): Promise<Methods['checkColumns']['output']> =>
  readSource(spec, context, async (source) => {
    const { findings } = await bindColumns(source, columns);
    return findings.map(({ column, message }) => ({ column, message }));
  });
