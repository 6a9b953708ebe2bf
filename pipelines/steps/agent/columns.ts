import type { Known } from '../../step.ts';
import type { TableColumn } from '../table-columns.ts';
import { fileColumns } from './file-columns.ts';
import type { AgentInput } from './input.ts';
import { placeholder } from './prompt.ts';

/** The columns whose values stand in a prompt. */
const inPrompt = (prompt: string | undefined, path: TableColumn['path']): TableColumn[] =>
  [...new Set([...(prompt ?? '').matchAll(placeholder)].map(([, column]) => column!))].map((column) => ({
    column,
    path,
    renamed: (by) => prompt!.replaceAll(placeholder, (text, each) => (each === column ? text.replace(column, () => by) : text)),
  }));

/** The columns of the step's table that its input names. */
export function agentTableColumns(input: Known<AgentInput>): TableColumn[] {
  const { key, prompt, followUps = [], files = [], inputs } = input ?? {};
  return [
    ...(key === undefined ? [] : [{ column: key, path: ['key'], as: 'key' as const }]),
    ...inPrompt(prompt, ['prompt']),
    ...followUps.flatMap((each, at) => inPrompt(each?.prompt, ['followUps', at, 'prompt'])),
    ...files.flatMap((column, at) => (column === undefined ? [] : [{ column, path: ['files', at] }])),
    ...fileColumns({ inputs }).map(({ column, slot }) => ({ column, path: ['inputs', slot!] })),
  ];
}
