import type { DocumentBlock } from '../../../contracts/parsed-document.ts';
import type { ParseOptions } from '../../documents.ts';
import { flat, type Block } from './block.ts';

/** The first so many words of a text. */
export const firstWords = (text: string, words: number): string => {
  const all = text.split(' ');
  return all.length <= words ? text : `${all.slice(0, words).join(' ')} …`;
};

function ofTable({ cells = [], caption }: Block): string {
  const [head = [], ...body] = cells;
  const names = head.filter((name) => name !== '').join(', ');
  const [first] = body;
  const row = first && head.map((name, at) => `${name || at + 1}: ${first[at] ?? ''}`).join('; ');
  return [caption, `Table of ${body.length} rows with the columns ${names}.`, row && `First row: ${row}.`]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

const ofFigure = ({ content, caption }: Block): string => [caption, content].filter((part) => part !== undefined && part !== '').join(' ');

/** A summary made of the document's own words, because nothing here understands them: it says so by its method. */
export const summariser =
  ({ tableSummary, figureSummary, summaryWords }: ParseOptions) =>
  (block: Block): DocumentBlock['summary'] => {
    const text = block.type === 'Table' && tableSummary ? ofTable(block) : block.type === 'Figure' && figureSummary ? ofFigure(block) : '';
    const short = firstWords(flat(text), summaryWords);
    return short === '' ? undefined : { text: short, method: 'extractive' };
  };
