import { link, readFile, copyFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { BadInput } from '../../../../errors/classes.ts';
import type { Json } from '../../../../text/json.ts';
import type { AgentFile } from '../model.ts';
import { fileArg, textArg, texts, ToolRefused, type Tool, type ToolContext } from './tool.ts';

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

/** Most bytes of a text that an agent is given; the rest is cut, and the answer says so. */
const mostBytes = 262_144;

/** Most rows that a query gives an agent. */
const mostRows = 1_000;

/** The file under a name with its ending, by which its type is known. */
const named = async ({ id, name }: AgentFile, { host, owner, scratch }: ToolContext): Promise<string> => {
  const path = join(scratch, `file${extname(name).toLowerCase()}`);
  const bytes = host.contentOf(owner, id);
  await link(bytes, path).catch((error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? undefined : copyFile(bytes, path)));
  return path;
};

const readText = async (file: AgentFile, { host, owner }: ToolContext): Promise<Json> => {
  const path = host.contentOf(owner, file.id);
  const { size } = await stat(path);
  const bytes = await readFile(path);
  const text = new TextDecoder().decode(bytes.subarray(0, mostBytes));
  if (text.includes('\u0000')) throw new ToolRefused(`${file.name} is no text and no table that can be read`);
  return { kind: 'text', name: file.name, bytes: size, cut: size > mostBytes, text };
};

/** The text of a document, as parse tasks read it. */
const readDocument = async (file: AgentFile, { host, owner, scratch, signal }: ToolContext): Promise<Json> => {
  const { size } = await stat(host.contentOf(owner, file.id));
  const text = await host.documentText(owner, file.id, join(scratch, 'document.json'), signal);
  return { kind: 'text', name: file.name, bytes: size, cut: text.length > mostBytes, text: text.slice(0, mostBytes) };
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

/** One SELECT over the rows of a file, which the query names `rows`. */
export const query_table: Tool = {
  does: 'Ask a table by SQL: one SELECT over the table `rows`; `limit` only with `order by`.',
  parameters: texts('file', 'sql'),
  async run(args, context) {
    const file = fileArg(args, context);
    const source = { sql: textArg(args, 'sql'), tables: { rows: await named(file, context) } };
    const into = join(context.scratch, 'rows');
    const { rows, parts } = await context.tables.listRows(
      { source, into, parts: 1, leastRows: mostRows, mostRows },
      { signal: context.signal },
    );
    const first = parts[0] ? (await readFile(join(into, parts[0].file), 'utf8')).split('\n').filter((line) => line !== '') : [];
    const elements = first.slice(0, mostRows).map((line) => (JSON.parse(line) as [string, { [column: string]: Json }])[1]);
    return { rows, cut: rows > elements.length, elements };
  },
};
