import { rowsWithIds } from '../../client/known-rows.ts';
import type { StepContext } from '../frame/context.ts';

/** The rows that a dataset of the step's connection holds among these ids, by id. */
export const readKnownRows = (
  { maps, connection, signal }: StepContext,
  project: string,
  idField: string,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>>> =>
  rowsWithIds({ maps, project, idField, size: connection('maps').batch.ids, signal }, ids);
