import { isAlias, isMap, isPair, isScalar, isSeq, type Document, type Node } from 'yaml';
import type { Json } from '../../../text/json.ts';
import { limits } from './yaml-limits.ts';

/** Offsets of what a document holds, by place. `keyEnd` is `key` for an item of a list; `flow`: it stands inside of `{ }` or `[ ]`. */
export type Located = { key: number; keyEnd: number; value: number; end: number; node: Node | null; flow: boolean };

/** Something in a document that is not plain JSON. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
  readonly code: 'duplicate-field' | 'not-plain' | 'merge-key' | 'too-large' | 'number-too-large';
  readonly offset: number;
  readonly remedy: string | undefined;
  /** Where it stands in the document, for an error of one field. */
  readonly path: readonly (string | number)[];
  constructor(code: ValueError['code'], message: string, offset: number, remedy?: string, path: ValueError['path'] = []) {
    super(message);
    this.code = code;
    this.offset = offset;
    this.remedy = remedy;
    this.path = path;
  }
}

/** Names by which an object's prototype could be reached. */
export const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const mergeRemedy = 'write the fields out, or give the whole value an anchor (&NAME) and refer to it by *NAME';

/** Braces within braces: an expression that lacks its dollar sign. */
const nameError = (key: unknown, at: number): ValueError =>
  isMap(key)
    ? new ValueError('not-plain', 'the name of a field is a plain text; an expression begins with ${{', at, 'write "${{ … }}"')
    : new ValueError('not-plain', 'the name of a field is a plain text', at, 'put it into quotes, or give it another name');

/** A name may be written as a number or a word such as `on` or `true`: it is a text all the same. */
const nameOf = (key: unknown): string | undefined =>
  typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? `${key}` : undefined;

export const placeKey = (path: readonly (string | number)[]): string => JSON.stringify(path);

/**
 * Plain JSON of a composed document and where each value stands. Collects what is not plain (`errors`); a
 * broken limit ends the conversion without a value.
 */
export function toValue(document: Document): { value: Json | undefined; places: Map<string, Located>; errors: ValueError[] } {
  const places = new Map<string, Located>();
  const errors: ValueError[] = [];
  let nodes = 0;
  let aliases = 0;
  /** What the value under way is inside of: an alias to one of these never ends. */
  const around = new Set<Node>();

  const offsetOf = (node: Node | null | undefined, otherwise: number): number => node?.range?.[0] ?? otherwise;

  const visit = (
    given: unknown,
    path: (string | number)[],
    [key, keyEnd]: readonly [number, number],
    otherwise: number,
    flow: boolean,
  ): Json => {
    let node = given as Node | null;
    const start = offsetOf(node, otherwise);
    if (++nodes > limits.nodes)
      throw new ValueError('too-large', `more than ${limits.nodes.toLocaleString('en-US')} values, aliases counted in full`, start);
    if (path.length > limits.depth) throw new ValueError('too-large', `nested deeper than ${limits.depth} levels`, start);
    places.set(placeKey(path), { key, keyEnd, value: start, end: node?.range?.[1] ?? start, node, flow });
    if (isAlias(node)) {
      if (++aliases > limits.aliases) throw new ValueError('too-large', `more than ${limits.aliases} aliases`, start);
      const target = node.resolve(document);
      if (target === undefined) {
        errors.push(
          new ValueError(
            'not-plain',
            `no anchor &${node.source} before this alias`,
            start,
            `give the value that is meant the anchor &${node.source}, or put the text into quotes`,
          ),
        );
        return null;
      }
      if (around.has(target)) {
        errors.push(new ValueError('not-plain', `*${node.source} is inside of what it stands for`, start, 'write the value out'));
        return null;
      }
      node = target;
    }
    if (isMap(node) || isSeq(node)) {
      around.add(node);
      const inFlow = flow || node.flow === true;
      const value = isMap(node)
        ? object(node.items, path, start, inFlow)
        : node.items.map((item, index) => {
            const at = offsetOf(item as Node | null, start);
            return visit(item, [...path, index], [at, at], start, inFlow);
          });
      around.delete(node);
      return value;
    }
    return isScalar(node) ? scalar(node.value, start) : null;
  };

  const object = (items: readonly unknown[], path: (string | number)[], start: number, flow: boolean): Json => {
    const entries = new Map<string, Json>();
    for (const pair of items) {
      if (!isPair(pair)) continue;
      const at = offsetOf(pair.key as Node | null, start);
      const name = isScalar(pair.key) ? nameOf(pair.key.value) : undefined;
      if (name === undefined) errors.push(nameError(pair.key, at));
      else if (name === '<<') errors.push(new ValueError('merge-key', 'YAML 1.2 has no merge keys', at, mergeRemedy, [...path, name]));
      else if (forbiddenNames.has(name))
        errors.push(new ValueError('not-plain', `'${name}' cannot be the name of a field`, at, 'give it another name'));
      else if (entries.has(name)) errors.push(new ValueError('duplicate-field', `'${name}' is here twice`, at, 'take one of the two out'));
      else entries.set(name, visit(pair.value, [...path, name], [at, (pair.key as Node).range?.[1] ?? at], at, flow));
    }
    return Object.fromEntries(entries);
  };

  const scalar = (value: unknown, start: number): Json => {
    if (typeof value === 'bigint') {
      if (value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)) return Number(value);
      errors.push(
        new ValueError(
          'number-too-large',
          `${value} is beyond ±2^53, the largest integer that JSON keeps exactly`,
          start,
          'write a smaller number, or put it into quotes where a text is due',
        ),
      );
      return 0;
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      errors.push(new ValueError('not-plain', 'infinity and not-a-number are not plain JSON', start, 'write a number'));
      return 0;
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
    errors.push(new ValueError('not-plain', 'only text, numbers, true, false, null, lists and fields', start));
    return null;
  };

  try {
    return { value: visit(document.contents, [], [0, 0], 0, false), places, errors };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return { value: undefined, places, errors: [...errors, error] };
  }
}
