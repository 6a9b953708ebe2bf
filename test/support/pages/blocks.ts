import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer } from 'marked';
import { parseFence, type Fence } from '../../../scripts/pages/site/fence.ts';
import { home, navPages } from '../../../scripts/pages/site/nav.ts';
import { root } from '../../../scripts/sources.mjs';

/** A code block of a page; `line` is where it begins. */
export type Block = Fence & { text: string; line: number };

/** Every page that a user reads, README.md included. */
export const pageFiles: readonly string[] = ['README.md', home, ...navPages.map(({ file }) => file)];

export const pageText = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The code blocks of a page in the order of reading. Fails, with the line, on one that says what is not known. */
export function blocksOf(markdown: string, file: string): Block[] {
  const blocks: Block[] = [];
  let offset = 0;
  for (const token of lexer(markdown)) {
    const line = markdown.slice(0, offset).split('\n').length;
    offset += token.raw.length;
    if (token.type !== 'code') continue;
    try {
      blocks.push({ ...parseFence((token['lang'] as string | undefined) ?? ''), text: token['text'] as string, line });
    } catch (error) {
      throw new Error(`${file}:${line}: ${(error as Error).message}`, { cause: error });
    }
  }
  return blocks;
}

/** What a page has its reader write into a file. */
export function fileOnPage(page: string, path: string): string {
  const block = blocksOf(pageText(page), page).find(({ file }) => file === path);
  if (!block) throw new Error(`${page} writes no file ${path}`);
  return `${block.text}\n`;
}

/** The command lines of a shell block: joined where a backslash ends a line, without comments and what follows a document. */
export const commandsOf = (text: string): string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#!'));
