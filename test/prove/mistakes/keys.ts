import type { Maker, MistakeClass, Right } from './mistake.ts';
import { at, misspelt } from './mistake.ts';
import { lineOf, linesOf, replaced, type Place } from './places.ts';

/** Below these a user names the fields. */
const free = new Set(['columns', 'tables', 'tags', 'tolerate']);

/** Fields whose names are given, at every level. */
const given = ({ places }: Right): Place[] =>
  places.filter(
    ({ path, key }) =>
      key !== undefined &&
      // Ids of steps, and names of parameters and outputs, are the user's.
      path.length !== 2 &&
      (path[0] !== 'outputs' || path.length === 1) &&
      !path.slice(0, -1).some((part) => free.has(String(part))),
  );

const ofStep = (right: Right): Place[] => given(right).filter(({ path }) => path[0] === 'steps' && path.length === 3);

const required: readonly (readonly [parent: number, field: string, of: readonly string[]])[] = [
  [4, 'slug', ['dataset.ensure']],
  [4, 'dataset', ['dataset.append', 'dataset.load', 'dataset.upload', 'index.build', 'data.delete', 'index.update']],
  [4, 'source', ['dataset.append', 'dataset.load', 'dataset.upload']],
  [4, 'id', ['dataset.append', 'dataset.load', 'dataset.upload']],
  [4, 'map', ['points.select', 'points.search', 'points.tag', 'points.neighbors']],
  [4, 'points', ['points.tag', 'points.neighbors', 'data.delete']],
  [4, 'query', ['points.search']],
  [4, 'fields', ['points.search']],
  [4, 'operation', ['api.call']],
  [4, 'names', ['own.greet']],
  [4, 'mode', ['own.score']],
  [4, 'weights', ['own.score']],
  [4, 'reason', ['own.wipe']],
];

/** Takes a field out, with its lines or up to the comma. */
function without(right: Right, { key, value, flow }: Place): string | undefined {
  if (!flow) {
    const span = linesOf(right.text, { start: key!.start, end: value.end });
    return replaced(right.text, span, '');
  }
  const after = /^,\s*/.exec(right.text.slice(value.end))?.[0].length;
  if (after !== undefined) return replaced(right.text, { start: key!.start, end: value.end + after }, '');
  const before = /,\s*$/.exec(right.text.slice(0, key!.start))?.[0].length;
  return before === undefined ? undefined : replaced(right.text, { start: key!.start - before, end: value.end }, '');
}

const missing = (what: string, fits: (place: Place, right: Right) => boolean): Maker => ({
  what,
  make(right, draw) {
    const fitting = right.places.filter((place) => place.key !== undefined && fits(place, right));
    if (fitting.length === 0) return undefined;
    const place = draw.pick(fitting);
    const text = without(right, place);
    if (text === undefined) return undefined;
    const owners = right.places.filter(
      ({ path, key }) =>
        key && path.length < place.path.length && path.length >= place.path.length - 2 && path.every((part, i) => part === place.path[i]),
    );
    // A field that is not there has no line: its owner has one.
    const lines = owners.flatMap((owner) => [lineOf(right.text, owner.key!.start), lineOf(right.text, owner.value.start)]);
    return { text, lines: place.path.length === 1 ? [1] : lines };
  },
});

const renamed = (
  what: string,
  from: (right: Right) => Place[],
  name: (field: string, right: Right, place: Place) => string | undefined,
): Maker => ({
  what,
  make(right, draw) {
    const fitting = from(right).filter((place) => name(String(place.path.at(-1)), right, place) !== undefined);
    if (fitting.length === 0) return undefined;
    const place = draw.pick(fitting);
    return at(right.text, place.key!, name(String(place.path.at(-1)), right, place)!);
  },
});

const inWith = (right: Right): Place[] => given(right).filter(({ path }) => path[0] === 'steps' && path.length > 3 && path[2] === 'with');

const misspeltField = (what: string, from: (right: Right) => Place[]): Maker => ({
  what,
  make(right, draw) {
    const fitting = from(right).filter(({ path }) => String(path.at(-1)).length > 2);
    if (fitting.length === 0) return undefined;
    const { key, path } = draw.pick(fitting);
    const name = misspelt(String(path.at(-1)), draw);
    return at(right.text, key!, right.text.startsWith('"', key!.start) ? JSON.stringify(name) : name);
  },
});

/** Other tools' words for the same thing. */
const elsewhere: Readonly<Record<string, string>> = {
  use: 'uses',
  with: 'args',
  needs: 'depends_on',
  steps: 'jobs',
  params: 'inputs',
  outputs: 'results',
  timeout: 'timeout_minutes',
  default: 'value',
  description: 'desc',
};

const inWhere = ({ path, key }: Place): boolean => key !== undefined && path[2] === 'with' && path[3] === 'where';

export const keys: MistakeClass = {
  name: 'names of fields',
  makers: [
    misspeltField('a misspelt field of a step’s input', inWith),
    misspeltField('a misspelt field of a step', ofStep),
    misspeltField('a misspelt field of a parameter', (right) =>
      given(right).filter(({ path }) => path[0] === 'params' && path.length === 3),
    ),
    misspeltField('a misspelt field of the file', (right) => given(right).filter(({ path }) => path.length === 1)),
    renamed(
      'another word for the end of a range',
      ({ places }) => places.filter((place) => inWhere(place) && ['from', 'to'].includes(String(place.path.at(-1)))),
      (field) => ({ from: 'min', to: 'max' })[field],
    ),
    renamed(
      'a word of another tool',
      (right) => [...given(right)],
      (field) => elsewhere[field],
    ),
    renamed(
      'a field in capitals',
      (right) => [...ofStep(right), ...inWith(right)],
      (field) => field[0]!.toUpperCase() + field.slice(1),
    ),
    renamed('a field in snake case', inWith, (field) =>
      /[A-Z]/.test(field) ? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : undefined,
    ),
    missing('a field that a step needs', (place, right) =>
      required.some(
        ([length, field, uses]) =>
          place.path.length === length &&
          place.path.at(-1) === field &&
          place.path[2] === 'with' &&
          uses.includes(String(right.places.find(({ path }) => path.length === 3 && path[1] === place.path[1] && path[2] === 'use')?.data)),
      ),
    ),
    missing('a step without use', ({ path }) => path[0] === 'steps' && path.length === 3 && path[2] === 'use'),
    missing('a parameter without a type', ({ path, flow }) => path[0] === 'params' && path.length === 3 && path[2] === 'type' && flow),
    missing('a file without a name', ({ path }) => path.length === 1 && path[0] === 'name'),
    {
      what: 'a condition on a step',
      make(right, draw) {
        const fitting = ofStep(right).filter(({ path, flow }) => path[2] === 'use' && !flow);
        if (fitting.length === 0) return undefined;
        const { key, value } = draw.pick(fitting);
        const word = draw.pick(['if: true', 'retries: 3', 'name: Load the rows', 'continueOnError: true', 'env: {}', 'queue: big']);
        const eol = right.text.indexOf('\n', value.end);
        const indent = ' '.repeat(key!.start - linesOf(right.text, key!).start);
        return { text: replaced(right.text, { start: eol, end: eol }, `\n${indent}${word}`), lines: [lineOf(right.text, eol) + 1] };
      },
    },
    {
      what: 'input beside with',
      make(right, draw) {
        const fitting = ofStep(right).filter(
          ({ path, flow, value }) => path[2] === 'with' && !flow && !right.text.startsWith('{', value.start),
        );
        if (fitting.length === 0) return undefined;
        const { key, value, path } = draw.pick(fitting);
        const span = linesOf(right.text, { start: value.start, end: value.end });
        const body = right.text.slice(span.start, span.end).replace(/^ {2}/gm, '');
        const start = linesOf(right.text, key!).start;
        const first = lineOf(right.text, start);
        const inner = right.places.filter((place) => place.path.length === 4 && place.path[1] === path[1] && place.key);
        return {
          text: replaced(right.text, { start, end: span.end }, body),
          lines: [...inner.map((place) => lineOf(right.text, place.key!.start) - 1), first],
        };
      },
    },
    {
      what: 'a field of an output that is a step’s',
      make(right) {
        const name = right.places.find(({ path }) => path.length === 1 && path[0] === 'name');
        if (!name?.key || name.flow) return undefined;
        const eol = right.text.indexOf('\n', name.value.end);
        return { text: replaced(right.text, { start: eol, end: eol }, '\nversion: 2'), lines: [lineOf(right.text, eol) + 1] };
      },
    },
  ],
};
