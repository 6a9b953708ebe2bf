import type { Reader } from '../block.ts';
import { charsetOf, decodeText } from './decode.ts';

/** Paragraphs, by blank lines. A form feed parts words as the end of a line does, and is none: editors count no line for it. */
export const readPlain: Reader = ({ bytes, contentType }) => {
  const notes: string[] = [];
  const lines = decodeText(bytes, charsetOf(contentType), notes)
    .split('\n')
    .flatMap((line, at) => line.split('\f').map((text) => ({ text, number: at + 1 })));
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    const first = at;
    while (at < lines.length && lines[at]!.text.trim() !== '') at += 1;
    if (at > first) {
      const own = lines.slice(first, at);
      const content = own
        .map(({ text }) => text)
        .join('\n')
        .trim();
      blocks.push({ type: 'Text' as const, content, lines: [own[0]!.number, own.at(-1)!.number] as [number, number] });
    }
    at += 1;
  }
  return { blocks, notes };
};
