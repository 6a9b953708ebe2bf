import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../sources.mjs';
import type { Statement } from './statements.ts';

/** A test that is red when one of the statements that it names does not hold. */
export type Proof = { file: string; line: number; title: string; ids: string[] };

/** Most statements that one test may name: who names more has shown none of them. */
const mostIds = 3;

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/.source;

/** In this order: what may hide a call (comments, strings, templates), and the word, with all that makes it one that can be read. */
const token = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`,
    // Under another name its calls could not be found.
    String.raw`import\s*\{(?![^}]*\bproves\s+as\b)[^}]*\}`,
    literal,
    '`(?:\\\\[^]|[^\\\\`])*`',
    `\\bproves\\b(?<call>\\s*\\(\\s*\\[\\s*(?<ids>(?:${literal})(?:\\s*,\\s*(?:${literal}))*)\\s*,?\\s*\\]\\s*,\\s*(?<title>${literal})\\s*,)?`,
  ].join('|'),
  'g',
);

const unquoted = (text: string): string => text.slice(1, -1).replaceAll(/\\(.)/g, '$1');

/** The `proves([…], 'title', …)` of a source, and what of them cannot be read: ids and titles are written out there. */
export function readProofs(file: string, source: string): { proofs: Proof[]; problems: string[] } {
  const proofs: Proof[] = [];
  const problems: string[] = [];
  for (const { 0: text, index, groups } of source.matchAll(token)) {
    if (!text.startsWith('proves')) continue;
    const line = source.slice(0, index).split('\n').length;
    const { ids, title } = groups!;
    if (ids === undefined || title === undefined)
      problems.push(`${file}:${line}: ids and title of \`proves\` are to be written out: proves(['id'], 'title', async () => { … })`);
    else proofs.push({ file, line, title: unquoted(title), ids: [...ids.matchAll(new RegExp(literal, 'g'))].map(([id]) => unquoted(id)) });
  }
  return { proofs, problems };
}

/** What is wrong with proofs: an id that is no statement, too many of them, a title that stands for two tests of a file. */
export function problemsOf(proofs: readonly Proof[], statements: readonly Pick<Statement, 'id'>[]): string[] {
  const known = new Set(statements.map(({ id }) => id));
  const titles = new Set<string>();
  return proofs.flatMap(({ file, line, title, ids }) => {
    const named = `${file}\n${title}`;
    const twice = titles.has(named);
    titles.add(named);
    return [
      ...ids.filter((id) => !known.has(id)).map((id) => `${id} is no statement of docs/spec/statements.tsv`),
      ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} is named twice`),
      ...(ids.length > mostIds ? [`${ids.length} statements; a test names at most ${mostIds}`] : []),
      ...(twice ? [`a second test is called '${title}'`] : []),
    ].map((problem) => `${file}:${line}: ${problem}`);
  });
}

/** Every proof of test/spec, and all that is wrong with them. */
export function allProofs(statements: readonly Pick<Statement, 'id'>[]): { proofs: Proof[]; problems: string[] } {
  const read = readdirSync(join(root, 'test/spec'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => readProofs(`test/spec/${file}`, readFileSync(join(root, 'test/spec', file), 'utf8')));
  const proofs = read.flatMap((each) => each.proofs);
  return { proofs, problems: [...read.flatMap((each) => each.problems), ...problemsOf(proofs, statements)] };
}
