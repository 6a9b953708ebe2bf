import { lexer, type Token, type Tokens } from 'marked';
import { flat, tableText, type Block, type Reader } from '../block.ts';
import { charsetOf, decodeText } from './decode.ts';
import { frontMatter } from './front-matter.ts';
import { htmlBlocks } from './html-blocks.ts';
import { createMarkup } from './markup.ts';

/** The tokens of a line that are seen: none of the HTML between them, nor what stands in an element of it that is hidden. */
function shownIn(tokens: readonly Token[]): Token[] {
  const markup = createMarkup();
  return tokens.filter((token) => {
    if (token.type !== 'html') return !markup.isHidden;
    markup.see(token.raw);
    return false;
  });
}

/** The words of a text with marks in it; of a picture its alternative text. */
const wordsOf = (tokens: readonly Token[] | undefined, otherwise: string): string =>
  tokens
    ? shownIn(tokens)
        .map((token) => {
          if (token.type === 'br') return '\n';
          return 'tokens' in token && token.tokens ? wordsOf(token.tokens, '') : ((token as Tokens.Text).text ?? '');
        })
        .join('')
    : otherwise;

const picturesOf = (tokens: readonly Token[] = []): string[] =>
  shownIn(tokens).flatMap((token) =>
    token.type === 'image' ? [(token as Tokens.Image).text] : 'tokens' in token ? picturesOf(token.tokens ?? []) : [],
  );

type Place = { line: number };

const linesOf = (raw: string): number => raw.split('\n').length - 1;

/** Blocks of tokens that stand one behind the other from a line on. */
function blocksOf(tokens: readonly Token[], place: Place): Block[] {
  const blocks: Block[] = [];
  const markup = createMarkup();
  for (const token of tokens) {
    const from = place.line;
    const to = from + Math.max(0, linesOf(token.raw.trimEnd()));
    const add = (block: Omit<Block, 'lines'>): void => {
      if (block.content.trim() !== '' || block.type === 'Figure') blocks.push({ ...block, lines: [from, to] });
    };
    if (token.type !== 'html' && token.type !== 'space') markup.beginBlock();
    if (token.type === 'html') for (const { lines: _, ...block } of htmlBlocks(markup.see(token.raw)).blocks) add(block);
    else if (markup.isHidden) {
      // An element that is hidden began further above.
    } else if (token.type === 'heading') {
      const { depth, tokens: inner, text } = token as Tokens.Heading;
      add({ type: depth === 1 ? 'Title' : 'Section Header', level: depth, content: flat(wordsOf(inner, text)) });
    } else if (token.type === 'code') add({ type: 'Code', content: (token as Tokens.Code).text });
    else if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table;
      const cells = [header, ...rows].map((row) => row.map((cell) => flat(wordsOf(cell.tokens, cell.text))));
      add({ type: 'Table', cells, content: tableText(cells) });
    } else if (token.type === 'list') {
      const inner = { line: from };
      for (const item of (token as Tokens.List).items) {
        const start = inner.line;
        const nested = item.tokens.filter(({ type }) => type === 'list' || type === 'table' || type === 'code');
        const own = item.tokens.filter((part) => !nested.includes(part));
        const content = own
          .map((part) => flat(wordsOf('tokens' in part ? part.tokens : undefined, part.raw)))
          .join('\n')
          .trim();
        const ownLines = linesOf(
          own
            .map(({ raw }) => raw)
            .join('\n')
            .trimEnd(),
        );
        if (content !== '') blocks.push({ type: 'List Item', content, lines: [start, start + ownLines] });
        blocks.push(...blocksOf(nested, { line: start + ownLines + 1 }));
        inner.line = start + linesOf(item.raw.endsWith('\n') ? item.raw : `${item.raw}\n`);
      }
    } else if (token.type === 'blockquote') blocks.push(...blocksOf((token as Tokens.Blockquote).tokens, { line: from }));
    else if (token.type === 'paragraph' || token.type === 'text') {
      const inner = 'tokens' in token ? token.tokens : undefined;
      for (const alt of picturesOf(inner)) add({ type: 'Figure', content: alt });
      const shown = inner?.filter(({ type }) => type !== 'image');
      add({ type: 'Text', content: wordsOf(shown, token.raw).trim() });
    }
    place.line = from + linesOf(token.raw);
  }
  return blocks;
}

/** Markdown as its readers see it: headings, paragraphs, items, tables, code; not what stands before it about it. */
export const readMarkdown: Reader = ({ bytes, contentType }) => {
  const notes: string[] = [];
  const text = decodeText(bytes, charsetOf(contentType), notes);
  const front = frontMatter(text);
  const blocks = blocksOf(lexer(text.slice(front?.length)), { line: 1 + (front?.lines ?? 0) });
  return { title: front?.title ?? blocks.find(({ type }) => type === 'Title')?.content, blocks, notes };
};
