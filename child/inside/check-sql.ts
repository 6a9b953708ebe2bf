import type { ChildContext, Methods } from '../protocol.ts';
import { openEngine } from './engine.ts';
import { createSqlCheck } from './sql/check-statement.ts';

/** Why a query may not run, whether or not its files are here: one refusal, or none. */
export async function checkSql(
  { sql, tables }: Methods['checkSql']['input'],
  context: ChildContext,
): Promise<Methods['checkSql']['output']> {
  await using engine = await openEngine(context);
  const check = await createSqlCheck(engine, tables);
  const refusal = await check(sql);
  return refusal ? [refusal] : [];
}
