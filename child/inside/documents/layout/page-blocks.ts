import type { Box } from '../../../../contracts/parsed-document.ts';
import { flat, tableText, type Block } from '../block.ts';
import { stretchesOf } from './lines.ts';
import { median, union, type Line, type Piece } from './piece.ts';
import { regionsOf } from './reading-order.ts';
import { tablesOf } from './tables.ts';

export type PageSize = { page: number; width: number; height: number };

const share = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;

/** A place on a page in fractions of it. */
export const boxOf = ({ left, top, right, bottom }: Omit<Piece, 'text' | 'size'>, { page, width, height }: PageSize): Box => ({
  left: share(left / width),
  top: share(top / height),
  width: share((right - left) / width),
  height: share((bottom - top) / height),
  page,
});

const item = /^([•▪◦‣·*–-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S/;

/** A heading is larger than what is read around it, and short. */
const larger = 1.15;
const longestHeading = 200;

/** What stands on a page as it is: a table, a picture. */
export type Part = { blocks: Block[] } & Omit<Piece, 'text'>;

/** Lines as they follow each other; a word that was parted at the end of one is whole again. */
const joined = (lines: readonly Line[]): string =>
  lines
    .map(({ text }) => text)
    .join('\n')
    .replaceAll(/(\p{L})[-\u00ad]\n(\p{Ll})/gu, '$1$2');

/** Lines of one region as paragraphs, headings and items. */
function paragraphs(lines: readonly Line[], size: PageSize, body: number): Block[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1)?.at(-1);
    const follows =
      last !== undefined &&
      Math.abs(last.size - line.size) < 0.12 * line.size &&
      line.top - last.bottom < 0.7 * line.size &&
      !item.test(line.text);
    if (follows) groups.at(-1)!.push(line);
    else groups.push([line]);
  }
  return groups.map((group) => {
    const content = joined(group);
    const letters = group[0]!.size;
    const heading = letters > larger * body && content.length <= longestHeading;
    return {
      type: heading ? 'Section Header' : item.test(content) ? 'List Item' : 'Text',
      ...(heading ? { level: headingLevel(letters / body) } : {}),
      content: heading ? flat(content) : content,
      bbox: boxOf(union(group), size),
    };
  });
}

/** By how much larger the letters are than those of the text. */
const headingLevel = (ratio: number): number => (ratio > 1.8 ? 1 : ratio > 1.4 ? 2 : 3);

/** The letter size of most of the text. */
export const bodySize = (pieces: readonly Piece[]): number =>
  median(pieces.flatMap(({ size, text }) => Array<number>(Math.ceil(text.trim().length / 8)).fill(size)));

/** What stands on a page, in the order of reading. `figures` are boxes of pictures; `body` is the letter size of the document's text. */
export function pageBlocks(pieces: readonly Piece[], figures: readonly Part[], size: PageSize, body: number): Block[] {
  const stretches = stretchesOf(pieces);
  const tables = tablesOf(stretches);
  const inTables = new Set(tables.flatMap(({ lines }) => lines));
  const lines = stretches.filter((line) => !inTables.has(line));
  const fixed: Part[] = [
    ...figures,
    ...tables.map(({ cells, lines: own }) => {
      const box = { ...union(own), size: median(own.map((line) => line.size)) };
      return { ...box, blocks: [{ type: 'Table' as const, cells, content: tableText(cells), bbox: boxOf(box, size) }] };
    }),
  ];
  return regionsOf<Part | Line>([...lines, ...fixed]).flatMap((region) => {
    const blocks: Block[] = [];
    let run: Line[] = [];
    const flush = (): void => {
      blocks.push(...paragraphs(run, size, body));
      run = [];
    };
    for (const part of region)
      if ('pieces' in part) run.push(part);
      else {
        flush();
        blocks.push(...part.blocks);
      }
    flush();
    return blocks;
  });
}
