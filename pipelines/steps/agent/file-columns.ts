import type { Known } from '../../step.ts';
import type { AgentInput } from './input.ts';

/** A column that holds the path of a file of each row: where the step names it, and the slot of its workflow, null where it is only read. */
export type FileColumn = { column: string; where: string; slot: string | null };

/** The columns of the step's table that hold paths of files. */
export const fileColumns = ({ files, inputs }: Pick<NonNullable<Known<AgentInput>>, 'files' | 'inputs'>): FileColumn[] => [
  ...(files ?? []).flatMap((column) => (column === undefined ? [] : [{ column, where: 'files', slot: null }])),
  ...Object.entries(inputs ?? {}).flatMap(([slot, column]) => (column === undefined ? [] : [{ column, where: `inputs.${slot}`, slot }])),
];
