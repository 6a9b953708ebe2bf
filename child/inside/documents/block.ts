import type { Box, Lines } from '../../../contracts/parsed-document.ts';
import type { ChildContext } from '../../protocol.ts';
import type { ParseOptions } from '../../documents.ts';

export type BlockType = 'Title' | 'Section Header' | 'Text' | 'List Item' | 'Table' | 'Figure' | 'Code';

/** One piece of a document, as a format gives it. */
export type Block = {
  type: BlockType;
  content: string;
  /** Of a heading: 1 is the highest. */
  level?: number;
  bbox?: Box;
  lines?: Lines;
  cells?: string[][];
  /** How its text was had, where not from the text of the file. */
  source?: 'ocr';
  /** What stands below or beside a figure or table about it. */
  caption?: string;
};

export type PageFacts = { page: number; width: number; height: number; text: 'embedded' | 'ocr' | 'none' };

/** A document as read: `pages` where its format has them. */
export type ReadDocument = { title?: string | undefined; blocks: Block[]; pages?: PageFacts[]; notes: string[] };

/** What a format is given. */
export type Opened = {
  path: string;
  bytes: Uint8Array;
  contentType: string;
  options: ParseOptions;
  context: ChildContext;
};

export type Reader = (opened: Opened) => Promise<ReadDocument> | ReadDocument;

/** White space as one space, for text that is set anew. */
export const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A table as text: one row a line, as Markdown writes it. */
export function tableText(cells: readonly (readonly string[])[]): string {
  const row = (texts: readonly string[]): string => `| ${texts.map((text) => flat(text).replaceAll('|', '\\|')).join(' | ')} |`;
  const [head, ...body] = cells;
  if (!head) return '';
  return [row(head), row(head.map(() => '---')), ...body.map(row)].join('\n');
}
