import type { CheckedColumns, Tables } from '../../child/tables.ts';
import { BadInput } from '../../errors/classes.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';

/** True where the values take longer or more than a look may: nothing is known of them, and a run has other limits. */
const isTooMuch = (error: unknown): boolean => error instanceof BadInput && ['timeout', 'too_large'].includes(error.verdict);

/** The columns of a source, with what its values say where they can be looked at. */
export const columnsIn = (tables: Pick<Tables, 'checkColumns'>, ...given: Parameters<Tables['checkColumns']>): Promise<CheckedColumns> =>
  tables.checkColumns(...given).catch((error: unknown) => {
    const [source, columns, id, since] = given;
    if (!isTooMuch(error) || (id ?? since) === undefined) throw error;
    return tables.checkColumns(source, columns);
  });

/** True where a query may give no row: it is run for this alone. */
export const mayBeEmpty = (tables: Tables, source: SourceSpec): Promise<boolean> =>
  tables.preview(source, { rows: 1 }).then(
    ({ rows }) => rows === 0,
    (error: unknown) => {
      if (!isTooMuch(error)) throw error;
      return true;
    },
  );
