import { canonical } from '../../../../text/canonical-json.ts';
import type { Json } from '../../../../text/json.ts';
import { summarize } from '../../../../text/summarize.ts';
import { counted } from '../../../../text/units.ts';
import type { Answer, Entry, Model, Situation, ToolCall } from '../model.ts';
import { extract, type Found } from './extract.ts';
import { queriesOf, type TableRead } from './queries.ts';
import { wishesOf, type Wishes } from './wishes.ts';

type Done = Extract<Entry, { type: 'tool' }>;
type TextRead = { kind: 'text'; name: string; text: string };
type Elements = { elements: { [column: string]: string | number | boolean | null }[] };

/** Calls of one round. */
const mostCalls = 5;

/** Values of one kind that an answer names; a table has all. */
const mostNamed = 8;

const same = (call: ToolCall, other: ToolCall): boolean => call.name === other.name && canonical(call.args) === canonical(other.args);

/** What an earlier round gave for a call: of reading in any turn, of all else in this one. */
const doneOf = ({ entries, turn }: Situation, call: ToolCall): Done | undefined =>
  entries.findLast(
    (entry): entry is Done => entry.type === 'tool' && (entry.turn === turn || call.name === 'read_file') && same(entry.call, call),
  );

/** What is known after the files were read. */
type Material = { tables: TableRead[]; texts: { name: string; text: string }[]; unread: string[] };

/** A last line by which whoever launched the agent knows it again: it says nothing of the work. */
const reference = /\s*\[ref [0-9a-f]{16}\]\s*$/;

const promptOf = ({ entries, instructions, turn }: Situation): string =>
  [
    turn === 1 ? (instructions ?? '') : '',
    ...entries.flatMap((entry) => (entry.type === 'user' && entry.turn === turn ? [entry.text.replace(reference, '')] : [])),
  ].join('\n');

const readCall = (file: string): ToolCall => ({ name: 'read_file', args: { file } });

const materialOf = (situation: Situation, prompt: string): Material => {
  const material: Material = { tables: [], texts: [], unread: [] };
  for (const { id, name } of situation.files) {
    const done = doneOf(situation, readCall(id));
    const read = done && !done.failed ? (done.result as TableRead | TextRead) : undefined;
    if (!read) material.unread.push(`${name}: ${done?.failed ? String((done.result as { error?: string }).error) : 'not read'}`);
    else if (read.kind === 'table') material.tables.push(read);
    else material.texts.push({ name, text: read.text });
  }
  // Without files the prompt is what there is to be worked on.
  if (situation.files.length === 0) material.texts.push({ name: 'the prompt', text: prompt });
  return material;
};

const idOf = ({ files }: Situation, table: TableRead): string => files.find(({ name }) => name === table.name)!.id;

const queryCalls = (
  situation: Situation,
  tables: readonly TableRead[],
  wishes: Wishes,
): { title: string; table: TableRead; call: ToolCall }[] =>
  tables.flatMap((table) =>
    queriesOf(table, wishes).map(({ title, sql }) => ({
      title,
      table,
      call: { name: 'query_table', args: { file: idOf(situation, table), sql } },
    })),
  );

const foundIn = (texts: Material['texts'], { extract: wanted }: Wishes): Found[] =>
  wanted.flatMap((kind) => texts.flatMap((text) => extract(kind, text)));

const summaries = (texts: Material['texts'], count: number): string =>
  texts
    .map(
      ({ name, text }) =>
        `## ${name}\n\n${
          summarize(text, { sentences: count })
            .map((sentence) => `- ${sentence}`)
            .join('\n') || '- nothing to summarise'
        }`,
    )
    .join('\n\n');

/** What is kept as artifacts: tables of what was found and counted, a document of summaries. */
const saves = (situation: Situation, { texts, tables }: Material, wishes: Wishes): ToolCall[] => {
  const found = foundIn(texts, wishes);
  const foundTable: ToolCall[] =
    wishes.extract.length > 0 && (wishes.tabulate || found.length > mostNamed)
      ? [
          {
            name: 'save_table',
            args: {
              name: `Found: ${wishes.extract.join(', ')}`,
              schema: [
                { name: 'kind', type: 'string' },
                { name: 'value', type: 'string' },
                { name: 'source', type: 'string' },
                { name: 'line', type: 'number' },
              ],
              elements: found.map(({ kind, value, source, line }) => ({ kind, value, source, line })),
            },
          },
        ]
      : [];
  const measured = queryCalls(situation, tables, wishes).flatMap(({ title, table, call }): ToolCall[] => {
    const done = doneOf(situation, call);
    if (!done || done.failed) return [];
    const { elements } = done.result as Elements;
    const [first = {}] = elements;
    const schema = Object.entries(first).map(([name, value]) => ({ name, type: typeof value === 'number' ? 'number' : 'string' }));
    if (schema.length === 0) return [];
    const rows = elements.map((row) =>
      Object.fromEntries(
        schema.map(({ name, type }) => [name, type === 'string' && row[name] !== null ? String(row[name]) : (row[name] ?? null)]),
      ),
    );
    return [{ name: 'save_table', args: { name: `${table.name}: ${title}`, schema, elements: rows } }];
  });
  const document: ToolCall[] =
    wishes.summary > 0 && situation.files.length > 0 && texts.length > 0
      ? [{ name: 'save_document', args: { name: 'Summary', text: summaries(texts, wishes.summary) } }]
      : [];
  return [...foundTable, ...measured, ...document];
};

const namesOf = (values: readonly string[]): string =>
  `${values.slice(0, mostNamed).join('; ')}${values.length > mostNamed ? `; and ${values.length - mostNamed} more` : ''}`;

/** The last word of a turn: what was found, in sentences. */
const report = (situation: Situation, material: Material, wishes: Wishes): string => {
  const { texts, tables, unread } = material;
  const found = foundIn(texts, wishes);
  const lines = [
    ...unread.map((why) => `Could not be read: ${why}.`),
    ...tables.map(
      ({ name, rows, columns }) => `${name}: ${counted(rows, 'row')}; columns ${columns.map((column) => column.name).join(', ')}.`,
    ),
    ...queryCalls(situation, tables, wishes).map(({ title, table, call }) => {
      const done = doneOf(situation, call);
      if (!done || done.failed) return `${table.name}, ${title}: could not be worked out.`;
      const { elements } = done.result as Elements;
      return `${table.name}, ${title}: ${namesOf(elements.map((row) => Object.values(row).map(String).join(' ')))}.`;
    }),
    ...wishes.extract.map((kind) => {
      const values = found.filter((each) => each.kind === kind).map(({ value }) => value);
      return values.length === 0 ? `No ${kind} found.` : `${values.length} ${kind}: ${namesOf(values)}.`;
    }),
    ...(wishes.summary > 0 ? texts.flatMap(({ text }) => summarize(text, { sentences: wishes.summary })) : []),
    ...situation.entries.flatMap((entry) => (entry.type === 'tool' && entry.turn === situation.turn ? said(entry) : [])),
  ];
  return lines.length === 0 ? 'Nothing to report.' : lines.join('\n');
};

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const said = ({ call: { name, args }, failed, result }: Done): string[] => {
  const given = result as { [name: string]: Json };
  if (failed) return name === 'read_file' || name === 'query_table' ? [] : [`${name} failed: ${textOf(given['error'])}`];
  if (name === 'search_files') {
    const files = given['files'] as { name: string }[];
    return [`Files named like ${JSON.stringify(args['query'])}: ${namesOf(files.map((file) => file.name)) || 'none'}.`];
  }
  if (name === 'search_codes') return [`Codes on ${JSON.stringify(args['query'])}: ${JSON.stringify(result).slice(0, 2_000)}`];
  if (name === 'ask_user')
    return [given['answer'] === null ? 'The question was not answered.' : `The answer was: ${textOf(given['answer'])}`];
  if (name === 'delegate') return [`${textOf(args['file'])} (sub-agent ${textOf(given['status'])}):\n${textOf(given['says'])}`];
  return [];
};

/** What has to be done before the last word, step by step: each needs what those before it have found. */
const needed = (situation: Situation, prompt: string, wishes: Wishes): ToolCall[][] => {
  const { files, isSubAgent } = situation;
  if (wishes.delegate && !isSubAgent && files.length > 0) {
    const part = prompt.replaceAll(/[^.\n]*\b(?:sub-?agents?|each file separately)\b[^.\n]*[.\n]?/gi, ' ').trim() || 'Summarise the file.';
    return [files.map(({ name }) => ({ name: 'delegate', args: { prompt: part, file: name } }))];
  }
  const material = (): Material => materialOf(situation, prompt);
  return [
    files.map(({ id }) => readCall(id)),
    [
      ...(wishes.searchFiles === undefined ? [] : [{ name: 'search_files', args: { query: wishes.searchFiles } }]),
      ...(wishes.searchCodes === undefined || !situation.capabilities.codeSearch
        ? []
        : [{ name: 'search_codes', args: { query: wishes.searchCodes } }]),
    ],
    wishes.ask === undefined ? [] : [{ name: 'ask_user', args: { question: wishes.ask } }],
    queryCalls(situation, material().tables, wishes).map(({ call }) => call),
    saves(situation, material(), wishes),
  ];
};

/** What the built-in worker does next: calls that are still to be done, or its last word. It draws nothing and reads no clock. */
export const decide = (situation: Situation): Answer => {
  const prompt = promptOf(situation);
  const wishes = wishesOf(prompt);
  for (const calls of needed(situation, prompt, wishes)) {
    const open = calls.filter((call) => !doneOf(situation, call)).slice(0, mostCalls);
    if (open.length > 0)
      return { model: 'built-in', thinking: `Next: ${[...new Set(open.map(({ name }) => name))].join(', ')}.`, calls: open };
  }
  const delegated = wishes.delegate && !situation.isSubAgent && situation.files.length > 0;
  const material = delegated ? { tables: [], texts: [], unread: [] } : materialOf(situation, prompt);
  return {
    model: 'built-in',
    text: report(situation, material, delegated ? { ...wishes, extract: [], measures: [], summary: 0 } : wishes),
    calls: [],
  };
};

/** It costs 1 $ for a million tokens that it reads and 5 $ for a million that it writes; what it has read before a tenth. */
export const builtIn: Model = {
  provider: 'built-in',
  prices: { 'built-in': { input: 1_000, output: 5_000, cacheCreation: 1_250, cacheRead: 100 } },
  answer: async (situation) => decide(situation),
};
