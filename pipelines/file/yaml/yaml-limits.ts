import { Lexer, Parser, type CST } from 'yaml';

/** What a pipeline file may be at most. */
export const limits = { bytes: 1_048_576, depth: 64, nodes: 50_000, aliases: 100 } as const;

/** A limit that the text breaks; `offset` counts characters. */
export type Excess = { message: string; offset: number };

export const tooLong = (bytes: number): Excess => ({
  message: `the file has ${bytes.toLocaleString('en-US')} bytes, at most ${limits.bytes.toLocaleString('en-US')}`,
  offset: 0,
});

/**
 * The concrete syntax of a text, built without recursion and given up at the first limit that is broken, so
 * that what recurses later (composing, converting) never sees a deep or huge one.
 */
export function readSyntax(text: string): { tokens: CST.Token[] } | { excess: Excess } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let nodes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (opens.test(lexeme) && ++nodes > limits.nodes)
      return { excess: { message: `more than ${limits.nodes.toLocaleString('en-US')} values in one file`, offset: parser.offset } };
    // The document and a scalar at the end are on the stack too; the exact depth is checked on values.
    if (parser.stack.length > limits.depth + 4)
      return { excess: { message: `nested deeper than ${limits.depth} levels`, offset: parser.offset } };
  }
  tokens.push(...parser.end());
  return { tokens };
}

/** Lexemes that begin a value, an entry, a document, a comment or an error. A name counts as a value. */
const opens = /^[\u001F"'\-[{*?,%.&!#]/;
