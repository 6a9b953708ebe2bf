import type { Json } from '../../../../text/json.ts';
import { summarize } from '../../../../text/summarize.ts';
import { counted } from '../../../../text/units.ts';
import { kinds } from './extract.ts';
import type { Situation, ToolCall } from '../model.ts';
import { doneOf, foundIn, labelOf, mostNamed, queryCalls, saveCall, type Done, type Elements, type Material } from './material.ts';
import { reviewText } from './review.ts';
import type { Wishes } from './wishes.ts';

const namesOf = (values: readonly string[], of = values.length): string =>
  `${values.slice(0, mostNamed).join('; ')}${of > mostNamed ? `; and ${of - mostNamed} more` : ''}`;

/** What the worker is good for, as whoever asked for something else is told. */
const abilities = `I can summarise (“in two sentences”); extract ${Object.keys(kinds).join(', ')}; count, and say the sum, average, minimum and maximum of columns of tables, by another column; review drawings; search files and codes; ask you; use sub-agents for each file.`;

/** What was asked for and cannot be done here, and why. */
const undone = (situation: Situation, { tables, prose }: Material, wishes: Wishes): string[] => {
  const noFiles = situation.files.length === 0;
  const when = (is: boolean, says: string): string[] => (is ? [says] : []);
  const counts = wishes.measures.length > 0 && wishes.extract.length === 0;
  const images = situation.entries.flatMap((entry) => (entry.type === 'user' && entry.turn === situation.turn ? entry.images : [])).length;
  return [
    ...when(
      !wishes.understood,
      `The prompt asks for nothing that I know${noFiles ? ', and there are no files: nothing was done' : ': I have read the files and say what they hold'}. ${abilities}`,
    ),
    ...when(wishes.summary > 0 && noFiles && prose.length === 0, 'There is no text to summarise: put it behind a colon, or give files.'),
    ...when(counts && tables.length === 0, 'There is no table to count or sum: give it as a file.'),
    ...when(
      counts && tables.length > 0 && queryCalls(tables, wishes).length === 0,
      'No table has the columns that are to be counted or summed.',
    ),
    ...when(
      wishes.searchCodes !== undefined && !situation.capabilities.codeSearch,
      'Codes were not searched: the launch has no capability codeSearch.',
    ),
    ...when(images > 0, `Not looked at: ${counted(images, 'image')} of the prompt; the worker of this service sees none.`),
  ];
};

/** What a table of an answer does not hold, which has more rows than are kept. */
const keptLess = (situation: Situation, save: ToolCall | undefined): string[] => {
  const done = save && doneOf(situation, save);
  if (!done) return [];
  const { rows, kept, error } = done.result as { rows: number; kept: number; error?: string };
  if (done.failed) return [`The table of it could not be kept: ${error}.`];
  return kept < rows ? [`The table of it holds the first ${counted(kept, 'row')} of ${rows}.`] : [];
};

/** The last word of a turn: what was done and found, in sentences. */
export const report = (situation: Situation, material: Material, wishes: Wishes): string => {
  const { texts, tables, prose, unread } = material;
  const found = foundIn(texts, wishes);
  const lines = [
    ...undone(situation, material, wishes),
    ...unread.map((why) => `Could not be read: ${why}.`),
    ...tables.map(
      ({ name, rows, columns }) => `${name}: ${counted(rows, 'row')}; columns ${columns.map((column) => column.name).join(', ')}.`,
    ),
    ...texts
      .filter(({ cut }) => cut)
      .map(
        ({ name, text }) =>
          `${name}: only the first ${counted(text.length, 'character')} of its text were read; what follows is not in this answer.`,
      ),
    ...queryCalls(tables, wishes).flatMap((query) => {
      const { title, table, call } = query;
      const done = doneOf(situation, call);
      if (!done || done.failed) return [`${table.name}, ${title}: could not be worked out.`];
      const { rows, elements } = done.result as Elements;
      const says = `${table.name}, ${title}: ${namesOf(
        elements.map((row) => Object.values(row).map(String).join(' ')),
        rows,
      )}.`;
      return [says, ...keptLess(situation, saveCall(situation, query))];
    }),
    ...wishes.extract.map((kind) => {
      const values = found.filter((each) => each.kind === kind).map(({ value }) => value);
      return values.length === 0 ? `No ${kind} found.` : `${values.length} ${kind}: ${namesOf(values)}.`;
    }),
    ...(wishes.review ? texts.map(({ name, text }) => `${name}: ${counted(reviewText(text).length, 'remark')}.`) : []),
    ...(wishes.summary > 0 ? prose.flatMap((text) => summarize(text, { sentences: wishes.summary })) : []),
    ...situation.entries.flatMap((entry) => (entry.type === 'tool' && entry.turn === situation.turn ? said(entry, situation) : [])),
  ];
  return lines.length === 0 ? 'Nothing to report.' : lines.join('\n');
};

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const said = ({ call: { name, args }, failed, result }: Done, situation: Situation): string[] => {
  const given = result as { [name: string]: Json };
  if (failed) return ['read_file', 'query_table', 'save_query'].includes(name) ? [] : [`${name} failed: ${textOf(given['error'])}`];
  if (name === 'search_files') {
    const files = given['files'] as { name: string }[];
    return [`Files named like ${JSON.stringify(args['query'])}: ${namesOf(files.map((file) => file.name)) || 'none'}.`];
  }
  if (name === 'search_codes') return [`Codes on ${JSON.stringify(args['query'])}: ${JSON.stringify(result).slice(0, 2_000)}`];
  if (name === 'ask_user')
    return [given['answer'] === null ? 'The question was not answered.' : `The answer was: ${textOf(given['answer'])}`];
  if (name === 'delegate')
    return [`${labelOf(situation, textOf(args['file']))} (sub-agent ${textOf(given['status'])}):\n${textOf(given['says'])}`];
  return [];
};
