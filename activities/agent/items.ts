import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import { agentsInChunk, type AgentInput } from '../../pipelines/steps/agent/run.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import { resolvePath } from '../../pipelines/resolve-path.ts';
import { suggestion } from '../../text/nearest.ts';
import type { Json } from '../../text/json.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import type { StepContext } from '../frame/context.ts';

/** What one agent is launched with. `mark` stands in its prompts, or in the names of its files, and nowhere else. */
export type AgentItem = {
  mark: string;
  prompt: string | null;
  /** Absolute paths; of a workflow by its slots. */
  files: { slot: string | null; path: string }[];
  /** The follow-ups of the step, with the values of the row. */
  followUps: string[];
};

export type NamedItem = { key: string; item: AgentItem };

/** A mark that nobody else writes, of 64 bits. */
export const markOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** How a mark stands in a prompt, as its last line. */
export const withMark = (text: string, mark: string): string => `${text}\n\n[ref ${mark}]`;

const placeholder = /\{\{ *([^{}]+?) *\}\}/g;

type Row = { [column: string]: Json };

const valueOf = (row: Row, column: string, where: string): Json => {
  const value = row[column];
  if (value === undefined)
    throw new BadInput('bad_input', `${where} names the column '${column}', and the table has none${suggestion(column, Object.keys(row))}`);
  return value;
};

const textOf = (value: Json): string => (typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));

const filled = (template: string, row: Row, where: string): string =>
  template.replaceAll(placeholder, (_, column: string) => textOf(valueOf(row, column, where)));

const fileOf = (row: Row, column: string, where: string, baseDir: string): string[] => {
  const path = textOf(valueOf(row, column, where));
  return path === '' ? [] : [resolvePath(path, baseDir)];
};

const itemOf = (input: AgentInput, key: string, row: Row, { run, step }: StepContext): AgentItem => ({
  mark: markOf(run.id, step, key),
  prompt: input.prompt === undefined ? null : filled(input.prompt, row, 'prompt'),
  files: [
    ...input.files.flatMap((column) => fileOf(row, column, 'files', run.baseDir).map((path) => ({ slot: null, path }))),
    ...Object.entries(input.inputs).flatMap(([slot, column]) =>
      fileOf(row, column, `inputs.${slot}`, run.baseDir).map((path) => ({ slot, path })),
    ),
  ],
  followUps: input.followUps.map(({ prompt }, at) => filled(prompt, row, `followUps[${at}].prompt`)),
});

/** The items of the table, a chunk at a time, in its order. Fails where the table is not the one of the run's start. */
export async function* itemsOf(input: AgentInput, folder: string, context: StepContext): AsyncGenerator<NamedItem[], void, undefined> {
  const { items: table, key } = input;
  const into = context.store.path(folder);
  const listed = await context.tables.listRows(
    { source: table, key, into, parts: 1_000_000, leastRows: agentsInChunk, mostRows: agentsInChunk },
    { signal: context.signal, progress: (done) => context.progress({ done, unit: 'rows', note: 'listing' }) },
  );
  refuseChanged(context, sourceName(table), { ...listed.source, rows: listed.rows });
  for (const { file } of listed.parts) {
    const lines = (await readFile(join(into, file), 'utf8')).split('\n').filter((line) => line !== '');
    yield lines.map((line) => {
      const [name, row] = JSON.parse(line) as [string, Row];
      return { key: name, item: itemOf(input, name, row, context) };
    });
  }
}
