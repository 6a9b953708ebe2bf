import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node } from 'yaml';

/** From one offset to another. */
export type Span = { start: number; end: number };

/** A field or an item of a pipeline's text. */
export type Place = {
  path: readonly (string | number)[];
  /** Of a field its name; an item of a list has none. */
  key?: Span;
  value: Span;
  /** The value as plain data. */
  data: unknown;
  /** How it is written: a field of `{ }` takes no line of its own. */
  flow: boolean;
};

/** A collection in block style ends with its last line break, which is no part of it. */
const spanOf = (node: Node, text: string): Span => ({
  start: node.range![0],
  end: node.range![0] + text.slice(node.range![0], node.range![1]).trimEnd().length,
});

/** Everything in a right pipeline, by where it stands. Values behind an alias are left out: they stand elsewhere. */
export function placesOf(text: string): Place[] {
  const document = parseDocument(text);
  const found: Place[] = [];
  const visit = (node: unknown, path: Place['path'], key: Span | undefined, flow: boolean): void => {
    const value = node as Node;
    if (!value.range || isAlias(value)) return;
    const data = isScalar(value) ? value.value : (value as unknown as { toJS(of: unknown): unknown }).toJS(document);
    found.push({ path, ...(key ? { key } : {}), value: spanOf(value, text), data, flow });
    if (isMap(value))
      for (const pair of value.items)
        if (isScalar(pair.key) && pair.value !== null)
          visit(pair.value, [...path, String(pair.key.value)], spanOf(pair.key, text), flow || value.flow === true);
    if (isSeq(value))
      for (const [index, item] of value.items.entries()) visit(item, [...path, index], undefined, flow || value.flow === true);
  };
  visit(document.contents, [], undefined, false);
  return found;
}

/** The line of an offset, from 1. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

export const replaced = (text: string, { start, end }: Span, by: string): string => text.slice(0, start) + by + text.slice(end);

/** The whole lines of a span, their line breaks included. */
export function linesOf(text: string, { start, end }: Span): Span {
  const after = text.indexOf('\n', Math.max(start, end - 1));
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: after < 0 ? text.length : after + 1 };
}
