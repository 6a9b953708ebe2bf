import type { Tables } from '../../../../child/tables.ts';
import type { Json } from '../../../../text/json.ts';
import type { Records } from '../../../core/records/database.ts';
import type { AgentFile, Model } from '../model.ts';
import type { AgentHost, Owner } from '../ports.ts';
import type { AgentRow } from '../records.ts';

/** What a tool works with. */
export type ToolContext = {
  records: Records;
  host: AgentHost;
  tables: Tables;
  model: Pick<Model, 'textBytes'>;
  /** Folder for files of one call: made for it, and removed behind it. */
  scratch: string;
  agent: AgentRow;
  owner: Owner;
  files: readonly AgentFile[];
  /** Message of this call: what is made by it is made once. */
  messageId: string;
  signal: AbortSignal;
};

/** Why a tool could not do what it was asked: the agent reads it and goes on. */
export class ToolRefused extends Error {
  override readonly name = 'ToolRefused';
}

/** A tool in one sentence, its arguments as JSON Schema, and what it does. Repeatable: after a kill it may be carried out once more. */
export type Tool = {
  does: string;
  parameters: { [name: string]: Json };
  run(args: { [name: string]: Json }, context: ToolContext): Promise<Json> | Json;
};

/** A tool that the agent waits for: what it begins, and how its end is seen. */
export type AsyncTool = Omit<Tool, 'run'> & {
  /** Inside a transaction. `waitSeconds`: after so long the agent goes on without it. */
  begin(args: { [name: string]: Json }, context: ToolContext): { waitSeconds: number; subAgentIds?: string[] };
  /** What came of it; undefined while nothing has. `overdue`: its time is up. */
  result(args: { [name: string]: Json }, context: ToolContext, overdue: boolean): Json | undefined;
};

/** A text of the arguments; a missing or other one is refused. */
export const textArg = (args: { [name: string]: Json }, name: string): string => {
  const value = args[name];
  if (typeof value !== 'string' || value.trim() === '') throw new ToolRefused(`${name} must be a text`);
  return value;
};

/** The file that the arguments name, by id or by a name that no other one has, among those that the agent may read. */
export const fileArg = (args: { [name: string]: Json }, { files }: ToolContext): AgentFile => {
  const named = textArg(args, 'file');
  const byName = files.filter(({ name }) => name === named);
  if (byName.length > 1)
    throw new ToolRefused(`${byName.length} files are called ${named}; name one by its id: ${byName.map(({ id }) => id).join(', ')}`);
  const file = files.find(({ id }) => id === named) ?? byName[0];
  if (!file) throw new ToolRefused(`no such file: ${named}; there are ${files.map(({ name }) => name).join(', ') || 'none'}`);
  return file;
};

export const texts = (...names: string[]): { [name: string]: Json } => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});
