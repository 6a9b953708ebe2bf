import { copyFile, link, open, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { BadInput } from '../../../../errors/classes.ts';
import type { Json } from '../../../../text/json.ts';
import type { AgentFile } from '../model.ts';
import { fileArg, texts, ToolRefused, type Tool, type ToolContext } from './tool.ts';

/** Endings of files that are tables where they can be read as such. */
const tableEndings = new Set([
  '.csv',
  '.tsv',
  '.tab',
  '.json',
  '.jsonl',
  '.ndjson',
  '.geojson',
  '.parquet',
  '.xlsx',
  '.xlsm',
  '.arrow',
  '.feather',
  '.ipc',
]);

/** What the parser of documents reads. */
const documentEndings = new Set(['.pdf', '.docx', '.png', '.jpg', '.jpeg', '.webp']);

/** What no reader of texts makes anything of. */
const otherEndings = new Set(['.pptx', '.gif', '.zip', '.gz']);

/** Bytes of text that an agent is given of a file in any case, however many files there are. */
const leastBytes = 262_144;

/** Bytes of text that an agent is given of one of its files; the rest is cut, and `cut` says so. */
const mostBytes = ({ files, model }: ToolContext): number => Math.max(leastBytes, Math.floor(model.textBytes / files.length));

/** The file under a name with its ending, by which its type is known. */
export const named = async ({ id, name }: AgentFile, { host, owner, scratch }: ToolContext): Promise<string> => {
  const path = join(scratch, `file${extname(name).toLowerCase()}`);
  const bytes = host.contentOf(owner, id);
  await link(bytes, path).catch((error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? undefined : copyFile(bytes, path)));
  return path;
};

/** The first bytes of a file; of more the rest is not read. */
const firstBytes = async (path: string, most: number): Promise<Uint8Array> => {
  await using file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, 0);
  return buffer.subarray(0, bytesRead);
};

const readText = async (file: AgentFile, context: ToolContext): Promise<Json> => {
  const path = context.host.contentOf(context.owner, file.id);
  const { size } = await stat(path);
  const cut = size > mostBytes(context);
  const bytes = await firstBytes(path, Math.min(size, mostBytes(context)));
  // Of a character that the cut has halved nothing is given.
  const text = new TextDecoder().decode(bytes, { stream: cut });
  if (text.includes('\u0000')) throw new ToolRefused(`${file.name} is no text and no table that can be read`);
  return { kind: 'text', name: file.name, bytes: size, cut, text };
};

/** The text of a document, as parse tasks read it. */
const readDocument = async (file: AgentFile, context: ToolContext): Promise<Json> => {
  const { host, owner, scratch, signal } = context;
  const { size } = await stat(host.contentOf(owner, file.id));
  const text = await host.documentText(owner, file.id, join(scratch, 'document.json'), signal);
  return { kind: 'text', name: file.name, bytes: size, cut: text.length > mostBytes(context), text: text.slice(0, mostBytes(context)) };
};

/** Reads a file: a table's columns and number of rows, or a text. Tables and documents are opened in child processes. */
export const read_file: Tool = {
  does: 'Read a file: the columns and the number of rows of a table, or the text of anything else, a PDF, DOCX or image included.',
  parameters: texts('file'),
  async run(args, context) {
    const file = fileArg(args, context);
    const ending = extname(file.name).toLowerCase();
    if (documentEndings.has(ending)) return readDocument(file, context);
    if (otherEndings.has(ending)) throw new ToolRefused(`${file.name}: files of the type ${ending} are not read here`);
    if (!tableEndings.has(ending)) return readText(file, context);
    try {
      const { rows, bytes, columns } = await context.tables.inspect(await named(file, context), { signal: context.signal });
      return { kind: 'table', name: file.name, rows, bytes, columns };
    } catch (error) {
      if (error instanceof BadInput && ending === '.json') return readText(file, context);
      throw error;
    }
  },
};
