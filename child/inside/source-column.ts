import { BadInput } from '../../errors/classes.ts';
import { childLimits } from '../child-limits.ts';

/** A column as the source holds it; `type` in DuckDB's words. */
export type SourceColumn = { name: string; type: string };

/** Refuses, before any is read, a file whose headers promise more rows than a table may have. */
export function refuseTooMany(rows: number): void {
  if (rows > childLimits.rows)
    throw new BadInput(
      'too_large',
      `says that it has ${rows.toLocaleString('en-US')} rows; a table may have ${childLimits.rows.toLocaleString('en-US')}: cut it into several files`,
    );
}
