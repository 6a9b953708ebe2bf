import { createHash } from 'node:crypto';
import { allTexts } from '../../child/id-columns.ts';
import { textOf, valueOf, type Row } from '../../child/listed-rows.ts';
import { fileFacts } from '../../files/file-facts.ts';
import { fileColumns, type FileColumn } from '../../pipelines/steps/agent/file-columns.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { agentsInChunk } from '../../pipelines/steps/agent/run.ts';
import { placeholder } from '../../pipelines/steps/agent/prompt.ts';
import { resolvePath } from '../../pipelines/resolve-path.ts';
import type { StepContext } from '../frame/context.ts';
import { listedRows } from '../sources/listed-rows.ts';
import { documentsOf } from './documents.ts';

/** A file of an item: its slot of a workflow, its absolute path, and what it held when it was listed; null where it could not be read. */
export type ItemFile = { slot: string | null; path: string; sha256: string | null };

/** What one agent is launched with. `mark` stands in its prompts, the names of the files of its slots are made of it, and it stands nowhere else. */
export type AgentItem = {
  mark: string;
  prompt: string | null;
  files: ItemFile[];
  /** The follow-ups of the step, with the values of the row. */
  followUps: string[];
};

export type NamedItem = { key: string; item: AgentItem };

/** A mark that nobody else writes, of 64 bits. */
export const markOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

const filled = (template: string, row: Row, where: string): string =>
  template.replaceAll(placeholder, (_, column: string) => textOf(valueOf(row, column, where)));

type Hashes = (path: string) => Promise<string | null>;

/** Each file is read once for all rows that name it. One that is not there fails its item when it is to be uploaded. */
const hashesOnce = (signal: AbortSignal): Hashes => {
  const known = new Map<string, Promise<string | null>>();
  return (path) => {
    const hash =
      known.get(path) ??
      fileFacts(path, { signal }).then(
        ({ sha256 }) => sha256,
        () => (signal.throwIfAborted(), null),
      );
    known.set(path, hash);
    return hash;
  };
};

async function itemOf(input: AgentInput, key: string, row: Row, hashOf: Hashes, { run, step }: StepContext): Promise<AgentItem> {
  const fileOf = ({ column, where, slot }: FileColumn): { slot: string | null; path: string }[] => {
    const path = textOf(valueOf(row, column, where));
    return path === '' ? [] : [{ slot, path: resolvePath(path, run.baseDir) }];
  };
  const own = input.documents !== undefined && input.workflow === undefined ? ['path'] : [];
  const files = fileColumns({ ...input, files: [...own, ...input.files] }).flatMap(fileOf);
  return {
    mark: markOf(run.id, step, key),
    prompt: input.prompt === undefined ? null : filled(input.prompt, row, 'prompt'),
    files: await Promise.all(files.map(async (file) => ({ ...file, sha256: await hashOf(file.path) }))),
    followUps: input.followUps.map(({ prompt }, at) => filled(prompt, row, `followUps[${at}].prompt`)),
  };
}

/** The items of the step, a chunk at a time, in their order: the rows of its table, or its documents. */
export async function* itemsOf(input: AgentInput, folder: string, context: StepContext): AsyncGenerator<NamedItem[], void, undefined> {
  const hashOf = hashesOnce(context.signal);
  const chunks =
    input.documents === undefined
      ? listedRows({ table: input.items!, key: input.key, ids: allTexts(input.items!), folder, atOnce: agentsInChunk }, context)
      : documentsOf(input.documents, context);
  for await (const chunk of chunks)
    yield await Promise.all(chunk.map(async ({ key, row }) => ({ key, item: await itemOf(input, key, row, hashOf, context) })));
}
