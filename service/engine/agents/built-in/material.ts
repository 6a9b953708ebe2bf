import { canonical } from '../../../../text/canonical-json.ts';
import type { Entry, Situation, ToolCall } from '../model.ts';
import { extract, type Found } from './extract.ts';
import { givenIn } from './given.ts';
import { queriesOf, type TableRead } from './queries.ts';
import type { Wishes } from './wishes.ts';

/** A call of a tool that has ended. */
export type Done = Extract<Entry, { type: 'tool' }>;
type TextRead = { kind: 'text'; name: string; text: string; cut: boolean };
/** A text as it is worked on; of a prompt it is of no file. */
type Text = { name: string; text: string; file?: string; cut?: boolean };
/** What a query gave: how many rows, and the first of them. */
export type Elements = { rows: number; elements: { [column: string]: string | number | boolean | null }[] };

/** Values of one kind that an answer names; a table has all. */
export const mostNamed = 8;

const same = (call: ToolCall, other: ToolCall): boolean => call.name === other.name && canonical(call.args) === canonical(other.args);

/** What an earlier round gave for a call: of reading in any turn, of all else in this one. */
export const doneOf = ({ entries, turn }: Situation, call: ToolCall): Done | undefined =>
  entries.findLast(
    (entry): entry is Done => entry.type === 'tool' && (entry.turn === turn || call.name === 'read_file') && same(entry.call, call),
  );

/** What is known after the files were read. `prose`: the texts that can be summarised, which an instruction by itself is not. */
export type Material = { tables: (TableRead & { file: string })[]; texts: Text[]; prose: string[]; unread: string[] };

/** Reads a file by its id. */
export const readCall = (file: string): ToolCall => ({ name: 'read_file', args: { file } });

/** A last line by which whoever launched the agent knows it again: it says nothing of the work. */
const reference = /\s*\[ref [0-9a-f]{16}\]\s*$/;

/** What a turn was asked; instructions of a workflow stand before the first prompt. To go on is to do what was asked before. */
export const promptOf = (situation: Situation, turn: number): string => {
  const { entries, instructions } = situation;
  const said = entries.flatMap((entry) => (entry.type === 'user' && entry.turn === turn ? [entry.text.replace(reference, '')] : []));
  if (turn > 1 && said.every((text) => /^\s*go on\b/i.test(text))) return promptOf(situation, turn - 1);
  return [turn === 1 ? (instructions ?? '') : '', ...said].join('\n');
};

/** Without files: what this prompt gives to be worked on, or an earlier one where it gives nothing. What is to be found may stand in the question. */
const materialOfPrompts = (situation: Situation): Pick<Material, 'texts' | 'prose'> => {
  const prompt = promptOf(situation, situation.turn);
  const given = givenIn(prompt);
  const texts = [{ name: 'the prompt', text: given?.behindColon ? given.text : prompt }];
  if (given) return { texts, prose: [given.text] };
  for (let turn = situation.turn - 1; turn > 0; turn--) {
    const earlier = givenIn(promptOf(situation, turn));
    if (earlier) return { texts: [...texts, { name: `prompt ${turn}`, text: earlier.text }], prose: [earlier.text] };
  }
  return { texts, prose: [] };
};

/** What a file is called: where others have its name, by its place among them too. */
export const labelOf = ({ files }: Situation, file: string): string => {
  const name = files.find(({ id }) => id === file)?.name ?? file;
  const namesakes = files.filter((each) => each.name === name);
  return namesakes.length < 2 ? name : `${name} (${namesakes.findIndex(({ id }) => id === file) + 1} of ${namesakes.length})`;
};

/** What the files of an agent hold, as far as they have been read; without files what its prompts give. */
export const materialOf = (situation: Situation): Material => {
  const material: Material = { tables: [], texts: [], prose: [], unread: [] };
  for (const { id } of situation.files) {
    const name = labelOf(situation, id);
    const done = doneOf(situation, readCall(id));
    const read = done && !done.failed ? (done.result as TableRead | TextRead) : undefined;
    if (!read) material.unread.push(`${name}: ${done?.failed ? String((done.result as { error?: string }).error) : 'not read'}`);
    else if (read.kind === 'table') material.tables.push({ ...read, name, file: id });
    else material.texts.push({ name, text: read.text, file: id, cut: read.cut });
  }
  return situation.files.length === 0
    ? { ...material, ...materialOfPrompts(situation) }
    : { ...material, prose: material.texts.map(({ text }) => text) };
};

/** The queries that the wishes ask of tables, and what each is called. */
export const queryCalls = (
  tables: Material['tables'],
  wishes: Wishes,
): { title: string; table: Material['tables'][number]; call: ToolCall }[] =>
  tables.flatMap((table) =>
    queriesOf(table, wishes).map(({ title, sql }) => ({
      title,
      table,
      call: { name: 'query_table', args: { file: table.file, sql } },
    })),
  );

/** Keeps the whole answer of a query as a table; undefined where it has no row. */
export const saveCall = (situation: Situation, { title, table, call }: ReturnType<typeof queryCalls>[number]): ToolCall | undefined => {
  const done = doneOf(situation, call);
  if (!done || done.failed || (done.result as Elements).rows === 0) return undefined;
  return { name: 'save_query', args: { ...call.args, name: `${table.name}: ${title}` } };
};

/** What is to be found in the texts. */
export const foundIn = (texts: Material['texts'], { extract: wanted }: Wishes): Found[] =>
  wanted.flatMap((kind) => texts.flatMap((text) => extract(kind, text)));
