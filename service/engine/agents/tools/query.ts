import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedRows } from '../../../../child/tables.ts';
import type { Json } from '../../../../text/json.ts';
import { keepArtifact, type Table } from '../artifacts.ts';
import { named } from './files.ts';
import { fileArg, textArg, texts, ToolRefused, type Tool, type ToolContext } from './tool.ts';

type Row = Table['elements'][number];

/** Most rows, and bytes of them, that a query gives an agent: it reads them all, at every round. */
const mostGiven = { rows: 1_000, bytes: 8 * 1024 * 1024 };

/** Most rows, and bytes of them, that are kept as a table: an artifact is made, kept and read in one piece. */
const mostKept = { rows: 100_000, bytes: 32 * 1024 * 1024 };

/** The answer of a query, as files in the folder of the call. */
const asked = async (args: { [name: string]: Json }, context: ToolContext, mostRows: number): Promise<ListedRows & { into: string }> => {
  const file = fileArg(args, context);
  const source = { sql: textArg(args, 'sql'), tables: { rows: await named(file, context) } };
  const into = join(context.scratch, 'rows');
  const request = { source, into, parts: 1, leastRows: mostRows, mostRows };
  return { ...(await context.tables.listRows(request, { signal: context.signal })), into };
};

/** The first rows of an answer: so many, and of so many bytes. */
const firstRows = async ({ parts, into }: ListedRows & { into: string }, most: { rows: number; bytes: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  let bytes = 0;
  for (const { file } of parts)
    for (const line of (await readFile(join(into, file), 'utf8')).split('\n').filter((each) => each !== '')) {
      bytes += Buffer.byteLength(line);
      if (rows.length === most.rows || bytes > most.bytes) return rows;
      rows.push((JSON.parse(line) as [name: string, row: Row])[1]);
    }
  return rows;
};

/** A column is of numbers, or of truth values, where all that stands in it is; else of texts. */
const tableOf = (rows: readonly Row[]): Table => {
  const schema = Object.keys(rows[0] ?? {}).map((name): Table['schema'][number] => {
    const types = new Set(rows.flatMap((row) => (row[name] == null ? [] : [typeof row[name]])));
    const [type] = types;
    return { name, type: types.size === 1 && (type === 'number' || type === 'boolean') ? type : 'string' };
  });
  const cell = (value: Json | undefined, type: string): Json =>
    value == null || type !== 'string' || typeof value === 'string' ? (value ?? null) : JSON.stringify(value);
  return { schema, elements: rows.map((row) => Object.fromEntries(schema.map(({ name, type }) => [name, cell(row[name], type)]))) };
};

/** One SELECT over the rows of a file, which the query names `rows`. */
export const query_table: Tool = {
  does: `Ask a table by SQL: one SELECT over the table \`rows\`; \`limit\` only with \`order by\`. Gives the first ${mostGiven.rows} rows; \`rows\` says how many there are.`,
  parameters: texts('file', 'sql'),
  async run(args, context) {
    const answer = await asked(args, context, mostGiven.rows);
    const elements = await firstRows(answer, mostGiven);
    return { rows: answer.rows, cut: answer.rows > elements.length, elements };
  },
};

/** The whole answer of a query as an artifact, without its rows going through a model. */
export const save_query: Tool = {
  does: 'Keep all rows of such an answer as a table, an artifact: `kept` says how many of its `rows` it holds.',
  parameters: texts('file', 'sql', 'name'),
  async run(args, context) {
    const { records, agent, messageId } = context;
    const name = textArg(args, 'name');
    const answer = await asked(args, context, mostKept.rows);
    const rows = await firstRows(answer, mostKept);
    if (rows.length === 0) throw new ToolRefused('the query gives no row that could be kept');
    const content = tableOf(rows);
    context.signal.throwIfAborted();
    const kept = records.transaction(() => keepArtifact(records, agent, { type: 'TABLE', name, content, madeBy: messageId }));
    return { ...kept, rows: answer.rows, kept: rows.length };
  },
};
