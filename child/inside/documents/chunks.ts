import { createHash } from 'node:crypto';
import type { DocumentBlock, DocumentChunk, Lines } from '../../../contracts/parsed-document.ts';
import { documentLimits } from '../../document-limits.ts';
import { flat, type Block, type ReadDocument } from './block.ts';

const longest = documentLimits.chunkCharacters;

/** A piece this long ends where a heading begins. */
const enough = longest / 4;

/** What ends a sentence: in Chinese and Japanese no space stands behind it. */
const sentenceEnds = ['. ', '。', '！', '？'];

/** Where a text that is too long is cut: behind a line or sentence, else a word, in its second half; never within a character. */
function endOf(head: string): number {
  const sentence = Math.max(...sentenceEnds.map((end) => head.lastIndexOf(end) + 1));
  const ends = [Math.max(head.lastIndexOf('\n'), sentence), head.lastIndexOf(' ')];
  return ends.find((end) => end > longest / 2) ?? (/[\uD800-\uDBFF]$/.test(head) ? longest - 1 : longest);
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > longest) {
    const end = endOf(rest.slice(0, longest));
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** Blocks by chunk: those of a page, or of a format without pages as many as a chunk may hold. */
function grouped(blocks: readonly Block[], paged: boolean): Block[][] {
  if (paged) return [...Map.groupBy(blocks, ({ bbox }) => bbox?.page ?? 1).values()];
  const groups: Block[][] = [];
  let size = Infinity;
  for (const block of blocks) {
    const begins = block.type === 'Title' || block.type === 'Section Header';
    for (const content of block.content.length > longest ? cut(block.content) : [block.content]) {
      if (size + content.length > longest || (begins && size >= enough)) {
        groups.push([]);
        size = 0;
      }
      groups.at(-1)!.push({ ...block, content });
      size += content.length + 2;
    }
  }
  return groups;
}

const linesOf = (blocks: readonly Block[]): Lines | undefined => {
  const known = blocks.flatMap(({ lines }) => lines ?? []);
  return known.length > 0 ? [Math.min(...known), Math.max(...known)] : undefined;
};

/** A block as results have it. */
const shown = ({ type, content, bbox, lines, cells, source }: Block, summary: DocumentBlock['summary']): DocumentBlock => ({
  type,
  content,
  bbox: bbox ?? null,
  ...(lines ? { lines } : {}),
  ...(cells ? { cells } : {}),
  ...(source ? { source } : {}),
  ...(summary ? { summary } : {}),
});

const isHeading = ({ type }: Block): boolean => type === 'Title' || type === 'Section Header';

export type Summarise = (block: Block) => DocumentBlock['summary'];

/** Cuts a document into chunks, each with its place, the headings above it, and the hash of its content. */
export function chunksOf({ title, blocks, pages }: ReadDocument, summarise: Summarise): DocumentChunk[] {
  const above: { level: number; text: string }[] = [];
  return grouped(blocks, pages !== undefined).flatMap((group, index) => {
    const [first] = group;
    // A heading that begins a chunk ends those beside it.
    const section = above.filter(({ level }) => !isHeading(first!) || level < (first!.level ?? 1)).map(({ text }) => text);
    for (const block of group) {
      if (!isHeading(block)) continue;
      const { level = 1, content } = block;
      while (above.length > 0 && above.at(-1)!.level >= level) above.pop();
      above.push({ level, text: content });
    }
    const content = group
      .map((block) => block.content)
      .join('\n\n')
      .trim();
    if (content === '') return [];
    const written = group.map((block) => shown(block, summarise(block)));
    const heads = [...new Set([...(title ? [flat(title)] : []), ...section])].filter((head) => !content.startsWith(head));
    const summaries = written.flatMap(({ summary }) => (summary ? [summary.text] : []));
    const lines = linesOf(group);
    return {
      index,
      content,
      embed: [heads.join(' > '), flat(content.replaceAll(/(\p{L})-\n(\p{Ll})/gu, '$1$2')), ...summaries]
        .filter((text) => text !== '')
        .join('\n'),
      blocks: written,
      page: group[0]!.bbox?.page ?? null,
      ...(lines ? { lines } : {}),
      section,
      hash: createHash('sha256').update(content).digest('hex'),
    };
  });
}
