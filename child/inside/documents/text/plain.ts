import type { Reader } from '../block.ts';
import { charsetOf, decodeText } from './decode.ts';

/** Paragraphs, by blank lines. */
export const readPlain: Reader = ({ bytes, contentType }) => {
  const notes: string[] = [];
  const lines = decodeText(bytes, charsetOf(contentType), notes).replaceAll('\f', '\n').split('\n');
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    const first = at;
    while (at < lines.length && lines[at]!.trim() !== '') at += 1;
    if (at > first)
      blocks.push({ type: 'Text' as const, content: lines.slice(first, at).join('\n').trim(), lines: [first + 1, at] as [number, number] });
    at += 1;
  }
  return { blocks, notes };
};
