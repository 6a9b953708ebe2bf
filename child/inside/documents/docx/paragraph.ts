import { flat, type Block } from '../block.ts';
import type { Labels } from './numbering.ts';
import type { Numbered, ParagraphStyle } from './styles.ts';

/** A picture: what is said of it, and the part that holds it. */
export type Figure = { said: string; part: string | undefined };

/** A paragraph while it is read: its text, what its properties say beside its style, and the pictures in it. */
export type Paragraph = {
  text: string;
  style: string | undefined;
  outline: number | undefined;
  numbered: Partial<Numbered>;
  figures: Figure[];
};

/** A block, and the part of its picture where it is one. */
export type DocxBlock = Block & { part?: string | undefined; isCaption?: true };

export const emptyParagraph = (): Paragraph => ({ text: '', style: undefined, outline: undefined, numbered: {}, figures: [] });

/** Outline levels from here on are those of text. */
const textLevel = 9;

/** Lines without the white space around and within them that nobody sees. */
const trimmed = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .trim();

/** A paragraph as a block: by its outline level, its list, its style. Undefined where nothing is written in it. */
export function paragraphBlock({ text, outline, numbered }: Paragraph, style: ParagraphStyle, labels: Labels): DocxBlock | undefined {
  const written = trimmed(text);
  // An empty paragraph of a list has no number either.
  if (written === '' || style.isHidden) return undefined;
  const { list = '0', level = 0 } = { ...style.numbered, ...numbered };
  const inList = list !== '0';
  const label = inList ? labels({ list, level }) : '';
  const content = label === '' ? written : `${label} ${written}`;
  if (style.isTitle) return { type: 'Title', level: 1, content: flat(content) };
  const heading = outline === undefined ? style.heading : outline < textLevel ? outline + 1 : undefined;
  if (heading !== undefined) return { type: 'Section Header', level: heading + 1, content: flat(content) };
  return { type: inList ? 'List Item' : 'Text', content, ...(style.isCaption ? { isCaption: true } : {}) };
}
