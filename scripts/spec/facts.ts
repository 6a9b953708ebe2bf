/** What a statement is: a row of a table, a sentence, or a single fact within either. `open`: the text says that it does not say. */
export type Kind = 'operation' | 'field' | 'row' | 'limit' | 'error' | 'sentence' | 'open' | 'default' | 'bound' | 'status';

export type Fact = { key: string; kind: Kind; text: string };

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Sentences, and the parts of one that semicolons outside brackets divide. */
export const clausesOf = (text: string): string[] =>
  [...segmenter.segment(text)].flatMap(({ segment }) => dividedAt(';', segment)).filter((clause) => /\w/.test(clause));

/** Names of a cell that may hold several: `workflowId, workflowVersionId, projectId`. */
export const namesOf = (cell: string): string[] => dividedAt(',', cell).map((name) => name.replaceAll(/[`*]/g, ''));

/** What a field is said to be begins so: `limit (integer, default 20)`, `body {name (string), …}`. */
const type = /^(?:array|string|integer|number|boolean|object|timestamp|uuid|required|default|UsageType|`)/;

/** Fields with their defaults and bounds, and statuses, that a clause of a cell or a sentence states. */
export function factsOf(clause: string): Fact[] {
  const facts = new Map<string, Fact>();
  const add = (key: string, kind: Kind, text: string): void => {
    if (!facts.has(key)) facts.set(key, { key, kind, text });
  };
  for (const part of dividedAt(',', clause.replace(/^[^:({]*: /, '').replace(/\.$/, ''))) {
    const [, name, about] = /([\w.]+)`? \(([^]+)\)$/.exec(part) ?? [];
    if (name && !type.test(name) && type.test(about!)) add(name, 'field', part);
    for (const each of within(part)) {
      const [field] = /^\w+/.exec(each) ?? [];
      if (field) add(field, 'field', each);
    }
  }
  for (const [text, key] of clause.matchAll(/\b(default|max) (?:`[^`]+`|\d+|true|false|empty list|latest(?: version)?)/g)) {
    const field = /(\w+)`? \([^()]*$/.exec(clause.slice(0, clause.indexOf(text)))?.[1];
    add(field ? `${field}-${key}` : key!, key === 'default' ? 'default' : 'bound', field ? `${field}: ${text}` : text);
  }
  for (const [text] of clause.matchAll(/(?<=^|Response |answers )[2-5]\d\d(?!\w)/g)) add(text, 'status', clause);
  return [...facts.values()];
}

/** Members of the braces of `body {name string, version {id}}`, those of inner ones too; a single name is that of a part of a path or address. */
function within(text: string): string[] {
  const [, before, inner] = /^([^{]*)\{(.*)\}/.exec(text) ?? [];
  if (inner === undefined || (!/[ ,:]/.test(inner) && before !== 'body ')) return [];
  return dividedAt(',', inner).flatMap((part) => [part, ...within(part)]);
}

/** Divides a text where a sign stands outside of all brackets. */
export function dividedAt(sign: string, text: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    if ('({['.includes(text[index]!)) depth++;
    if (')}]'.includes(text[index]!)) depth--;
    if (text[index] !== sign || depth > 0) continue;
    parts.push(text.slice(from, index));
    from = index + 1;
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter(Boolean);
}
