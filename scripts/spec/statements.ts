import { createHash } from 'node:crypto';
import { lexer, type Token, type Tokens } from 'marked';
import { clausesOf, factsOf, namesOf, type Kind } from './facts.ts';
import { operationsOf } from './operations.ts';

/** One thing that a text of an API says, and that can hold or not. */
export type Statement = {
  /** `maps:top-k-request/query.2`: API, section, what it is about, and which of several it is. */
  id: string;
  kind: Kind;
  /** As it stands in the text. */
  text: string;
  /** Of `text`: who changes it has to look at what rests on it. */
  hash: string;
};

/** All statements of a text, in its order; whatever stands in it is part of at least one. Fails where two would have the same id. */
export function statementsOf(api: string, text: string): Statement[] {
  const known = new Map<string, Statement>();
  const add = (about: string, kind: Kind, statement: string): void => {
    const id = `${api}:${about}`;
    if (known.has(id)) throw new Error(`${id}: stands for \`${known.get(id)!.text}\` and for \`${statement}\``);
    known.set(id, { id, kind, text: statement, hash: createHash('sha256').update(statement).digest('hex').slice(0, 12) });
  };
  let section = '';
  let [sentences, tables] = [0, 0];
  const addSentences = (of: string): void => {
    for (const clause of clausesOf(of)) {
      const about = `${section}/${++sentences}`;
      add(about, isOpen(clause) ? 'open' : 'sentence', clause);
      for (const { key, kind, text: fact } of factsOf(clause)) add(`${about}#${key}`, kind, fact);
    }
  };
  for (const token of lexer(text)) {
    if (token.type === 'heading') {
      section = slugOf((token as Tokens.Heading).text.replace(/ \(.*/, ''));
      [sentences, tables] = [0, 0];
    }
    if (token.type === 'paragraph') addSentences((token as Tokens.Paragraph).text);
    if (token.type === 'list') for (const item of (token as Tokens.List).items) addSentences(item.text);
    if (token.type === 'table') addTable(token as Tokens.Table, ++tables === 1 ? section : `${section}.${tables}`, add);
    refuseOther(token);
  }
  return [...known.values()];
}

type Add = (about: string, kind: Kind, text: string) => void;

/** A row is a statement; what its last cells say beyond it are statements of their own. */
function addTable(table: Tokens.Table, section: string, add: Add): void {
  const first = table.header[0]!.text;
  const seen = new Set<string>();
  for (const row of table.rows) {
    const cells = row.map(({ text }) => text);
    const addAll = (about: string, kind: Kind, said: readonly string[]): void => addRow(about, kind, cells.join(' | '), said, add);
    if (first === 'Method') for (const operation of operationsOf(cells[0]!, cells[1]!)) addAll(operation, 'operation', cells.slice(2));
    else if (first === 'Field') for (const name of namesOf(cells[0]!)) addAll(`${section}/${name}`, 'field', cells.slice(-1));
    else {
      // Rows that begin alike differ in their second cell.
      const name = slugOf(cells[0]!);
      addAll(`${section}/${seen.has(name) ? slugOf(`${cells[0]} ${cells[1]}`) : name}`, kindOfRow(section), cells.slice(1));
      seen.add(name);
    }
  }
}

const kindOfRow = (section: string): Kind => (section === 'limits' ? 'limit' : section === 'errors' ? 'error' : 'row');

function addRow(about: string, kind: Kind, whole: string, cells: readonly string[], add: Add): void {
  add(about, kind, whole);
  const clauses = cells.flatMap(clausesOf);
  const facts = new Map(clauses.flatMap(factsOf).map((fact) => [fact.key, fact]));
  for (const { key, kind: of, text } of facts.values()) add(`${about}#${key}`, of, text);
  const sentences = clauses.filter((clause) => !isName.test(clause));
  if (sentences.length > 1 || kind === 'operation')
    for (const [index, clause] of sentences.entries()) add(`${about}.${index + 1}`, isOpen(clause) ? 'open' : 'sentence', clause);
}

/** What names a body, a status or nothing, and is part of the row. */
const isName = /^(?:none|same|no schema|(?:path|body) \w+|(?:query|path|body):? [^]*[)}]|\d{3}(?: [\w` ]+)?|[^ ]+)\.?$/;

const isOpen = (clause: string): boolean => /: not shown\b/.test(clause);

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_{}./]+/g, '-')
    .replaceAll(/^-|-$/g, '');

function refuseOther({ type, raw }: Token): void {
  if (!['heading', 'paragraph', 'list', 'table', 'space'].includes(type)) throw new Error(`unknown form of text, ${type}: ${raw}`);
}
