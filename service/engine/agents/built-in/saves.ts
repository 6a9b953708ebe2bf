import { summarize } from '../../../../text/summarize.ts';
import type { Situation, ToolCall } from '../model.ts';
import { foundIn, mostNamed, queryCalls, saveCall, type Material } from './material.ts';
import { reviewText } from './review.ts';
import type { Wishes } from './wishes.ts';

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

/** What is kept as artifacts: tables of what was found and counted, a document of summaries, a review of drawings. */
export const saves = (situation: Situation, { texts, tables }: Material, wishes: Wishes): ToolCall[] => {
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
  const measured = queryCalls(tables, wishes).flatMap((query) => saveCall(situation, query) ?? []);
  const document: ToolCall[] =
    wishes.summary > 0 && situation.files.length > 0 && texts.length > 0
      ? [{ name: 'save_document', args: { name: 'Summary', text: summaries(texts, wishes.summary) } }]
      : [];
  const review: ToolCall[] =
    wishes.review && situation.files.length > 0 && texts.length > 0
      ? [
          {
            name: 'save_review',
            args: { name: 'Drawing review', files: texts.map(({ file = '', text }) => ({ file, remarks: reviewText(text) })) },
          },
        ]
      : [];
  return [...foundTable, ...measured, ...document, ...review];
};
