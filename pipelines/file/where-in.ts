import { readFile } from 'node:fs/promises';
import { placeOfMatch } from '../../text/place-of.ts';

/** `file:line:column` of the first of these patterns that stands in the file, else of its beginning. */
export async function whereIn(file: string, ...patterns: readonly RegExp[]): Promise<string> {
  const source = await readFile(file, 'utf8').catch(() => '');
  const { line, column } = placeOfMatch(source, patterns.find((pattern) => pattern.test(source)) ?? /^/);
  return `${file}:${line}:${column}`;
}

/** Where a step or a pipeline is made in code. */
export const making = /\bdefine[A-Z]\w*\s*\(/;
