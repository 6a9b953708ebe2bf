import type { ChunkSummary, DocumentChunk } from '../../../contracts/parsed-document.ts';
import { summarize } from '../../../text/summarize.ts';
import type { ChunkSummaries } from '../../documents.ts';
import { firstWords } from './summaries.ts';

/** A page or chunk that is summarised. */
type Unit = Pick<ChunkSummary, 'page' | 'chunks'> & { text: string };

/** What was summarised before, in the order of the document. */
type Before = readonly { text: string; summary: string }[];

/** So many of a list, spread over all of it. */
const sampled = <T>(list: readonly T[], count: number): T[] =>
  list.length <= count ? [...list] : Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)]!);

const latest = <T>(list: readonly T[], count: number): T[] => (count === 0 ? [] : list.slice(-count));

/** What is around a unit, by mode; `rolling_summary` is summarised with the unit, the others only weigh its words. */
const around: Record<ChunkSummaries['around'], (before: Before, context: number) => string[]> = {
  latest_chunks: (before, context) => latest(before, context).map(({ text }) => text),
  sampled_chunks: (before, context) => sampled(before, context).map(({ text }) => text),
  latest_comprehensions: (before, context) => latest(before, context).map(({ summary }) => summary),
  sampled_comprehensions: (before, context) => sampled(before, context).map(({ summary }) => summary),
  rolling_summary: (before) => latest(before, 1).map(({ summary }) => summary),
};

/** A document without pages is one page. */
const unitsOf = (chunks: readonly DocumentChunk[], by: ChunkSummaries['by']): Unit[] => {
  const groups = by === 'chunk' ? chunks.map((chunk) => [chunk]) : [...Map.groupBy(chunks, ({ page }) => page ?? 0).values()];
  return groups.map((group) => ({
    page: group[0]!.page ?? null,
    chunks: [group[0]!.index!, group.at(-1)!.index!],
    text: group.map(({ content }) => content).join('\n\n'),
  }));
};

/** Summaries of a document unit by unit, of its own words: the sentences that say the most, by the words of what is around them. */
export function chunkSummaries(chunks: readonly DocumentChunk[], asked: ChunkSummaries, words: number): ChunkSummary[] {
  const units = unitsOf(chunks, asked.by);
  const done: { text: string; summary: string }[] = [];
  while (done.length < units.length) {
    const context = around[asked.around](done, asked.context).join('\n\n');
    for (const { text } of units.slice(done.length, done.length + asked.batch)) {
      const rolling = asked.around === 'rolling_summary';
      const sentences = summarize(rolling ? `${context}\n\n${text}` : text, { words }, rolling ? {} : { context });
      done.push({ text, summary: firstWords(sentences.join(' '), words) });
    }
  }
  return units.map(({ page, chunks: of }, at) => ({ page, chunks: of, text: done[at]!.summary, method: 'extractive' }));
}
