import { at, misspelt, otherValue, useOf, type Maker, type MistakeClass, type Right } from './mistake.ts';
import { lineOf, linesOf, replaced, type Place } from './places.ts';

const isField = (place: Place, ...names: string[]): boolean => place.key !== undefined && names.includes(String(place.path.at(-1)));
const stepLines = (right: Right): number[] =>
  right.places.filter(({ path, key }) => path.length === 2 && path[0] === 'steps' && key).map(({ key }) => lineOf(right.text, key!.start));

/** A line more behind the `use` of a step. */
const beside = (
  what: string,
  line: (id: string, right: Right, draw: Parameters<Maker['make']>[1]) => string | undefined,
  lines?: (right: Right) => number[],
): Maker => ({
  what,
  make(right, draw) {
    const fitting = right.places.filter(({ path, flow }) => path.length === 3 && path[0] === 'steps' && path[2] === 'use' && !flow);
    if (fitting.length === 0) return undefined;
    const { key, value, path } = draw.pick(fitting);
    const id = String(path[1]);
    if (right.places.some((place) => place.path.length === 3 && place.path[1] === id && place.path[2] === 'needs')) return undefined;
    const made = line(id, right, draw);
    if (made === undefined) return undefined;
    const eol = right.text.indexOf('\n', value.end);
    const indent = ' '.repeat(key!.start - linesOf(right.text, key!).start);
    const at = lineOf(right.text, eol) + 1;
    return {
      text: replaced(right.text, { start: eol, end: eol }, `\n${indent}${made}`),
      lines: [at, at - 2, ...(lines?.(right) ?? []).flatMap((each) => [each, each + 1])],
    };
  },
});

const later = (id: string, right: Right): string[] =>
  right.places
    .filter(({ path, data }) => path[0] === 'steps' && path[2] === 'with' && typeof data === 'string' && data.includes(`steps.${id}.`))
    .map(({ path }) => String(path[1]));

export const order: MistakeClass = {
  name: 'order, gates, own steps and connections',
  makers: [
    beside('needs a step that is not there', (own, right, draw) => {
      const ids = right.places.filter(({ path }) => path.length === 2 && path[0] === 'steps').map(({ path }) => String(path[1]));
      const above = ids.slice(0, ids.indexOf(own)).filter((id) => id.length > 2);
      return above.length === 0 ? undefined : `needs: [${misspelt(draw.pick(above), draw)}]`;
    }),
    beside('needs itself', (id) => `needs: [${id}]`),
    beside(
      'steps in a circle',
      (id, right) => {
        const after = later(id, right).filter((each) => each !== id);
        return after.length === 0 ? undefined : `needs: [${after[0]}]`;
      },
      stepLines,
    ),
    otherValue(
      'refers to itself',
      (place) =>
        place.path[0] === 'steps' &&
        place.path[2] === 'with' &&
        place.path.length === 4 &&
        isField(place, 'dataset', 'map', 'slug') &&
        !place.flow,
      ({ path }) => [`\${{ steps.${String(path[1])}.url }}`, `\${{ steps.${String(path[1])}.id }}`],
    ),
    otherValue('a gate for steps that are not there', (place) => isField(place, 'approves'), [
      '[delte]',
      '[wiped2]',
      '[nothing]',
      '[]',
      'delete',
    ]),
    {
      what: 'an act without its gate',
      make(right) {
        const approves = right.places.find((place) => isField(place, 'approves'));
        if (!approves) return undefined;
        const acts = right.places.filter(
          ({ path, data }) => path.length === 3 && path[2] === 'use' && ['data.delete', 'own.wipe', 'api.call'].includes(String(data)),
        );
        const line = approves.flow ? undefined : linesOf(right.text, { start: approves.key!.start, end: approves.value.end });
        if (line === undefined) return undefined;
        return {
          text: replaced(right.text, line, ''),
          lines: acts.flatMap(({ value, key }) => [
            lineOf(right.text, value.start) - 1,
            lineOf(right.text, key!.start),
            lineOf(right.text, value.start) - 2,
          ]),
        };
      },
    },
    otherValue(
      'an own step that is not there',
      (place) => place.path.length === 3 && place.path[0] === 'steps' && String(place.data).startsWith('own.'),
      ({ data }) => [
        `${String(data)}er`,
        String(data).replace('own.', 'my.'),
        String(data).replace('own.', ''),
        String(data).replace(/.$/, ''),
      ],
    ),
    otherValue('a connection that is not there', (place) => place.path.length === 1 && place.path[0] === 'connection', [
      'pord',
      'production',
      'prod ction',
      'Prod',
      'hosted',
    ]),
    otherValue('a connection that is no name', (place) => place.path.length === 1 && place.path[0] === 'connection', [
      '{ maps: prod }',
      '[prod]',
      '5',
      'https://maps.example.com',
    ]),
    otherValue(
      'an own step’s number beyond its bounds',
      (place, right) => useOf(right, place.path[1]) === 'own.greet' && isField(place, 'times') && typeof place.data === 'number',
      ['0', '10', '-3'],
    ),
    otherValue('an own step’s list of nothing', (place, right) => useOf(right, place.path[1]) === 'own.greet' && isField(place, 'names'), [
      '[]',
    ]),
    otherValue(
      'an own step’s text that is too short',
      (place, right) => useOf(right, place.path[1]) === 'own.wipe' && isField(place, 'reason'),
      ['""', 'no', '"x"'],
    ),
    otherValue(
      'an own step’s fields of other types',
      (place, right) => useOf(right, place.path[1]) === 'own.score' && isField(place, 'weights'),
      ['{ text: heavy }', '{ date: 1 }', '{ text: 1, dates: 2 }', '[0.8, 0.2]', '{ text: 1, colour: 3 }'],
    ),
    otherValue(
      'an own step’s date that is none',
      (place, right) => useOf(right, place.path[1]) === 'own.score' && isField(place, 'since'),
      ['today', '2024-31-12', '5'],
    ),
    otherValue(
      'a step that waits for itself',
      (place) => place.path.length === 3 && isField(place, 'needs') && Array.isArray(place.data),
      ({ path }) => [`[${String(path[1])}]`],
    ),
    {
      what: 'both add and remove',
      make(right, draw) {
        const fitting = right.places.filter((place) => isField(place, 'add', 'remove') && !place.flow);
        if (fitting.length === 0) return undefined;
        const { key, value, path } = draw.pick(fitting);
        const eol = right.text.indexOf('\n', value.end);
        const indent = ' '.repeat(key!.start - linesOf(right.text, key!).start);
        const line = lineOf(right.text, eol);
        return {
          text: replaced(right.text, { start: eol, end: eol }, `\n${indent}${path.at(-1) === 'add' ? 'remove' : 'add'}: other`),
          lines: [line + 1, line],
        };
      },
    },
    {
      what: 'neither add nor remove',
      make(right, draw) {
        const fitting = right.places.filter((place) => isField(place, 'add', 'remove') && !place.flow);
        if (fitting.length === 0) return undefined;
        const { key, value, path } = draw.pick(fitting);
        const span = linesOf(right.text, { start: key!.start, end: value.end });
        const owners = right.places.filter(
          (place) => place.path[1] === path[1] && place.key && (place.path.length === 2 || place.path.at(-1) === 'with'),
        );
        return {
          text: replaced(right.text, span, ''),
          lines: owners.flatMap((owner) => [lineOf(right.text, owner.key!.start), lineOf(right.text, owner.value.start)]),
        };
      },
    },
    {
      what: 'a step’s id that is no name',
      make(right, draw) {
        const fitting = right.places.filter(
          ({ path, key }) =>
            path.length === 2 &&
            path[0] === 'steps' &&
            key &&
            !right.text.includes(`steps.${String(path[1])}.`) &&
            !/approves|needs/.test(right.text),
        );
        if (fitting.length === 0) return undefined;
        const { key } = draw.pick(fitting);
        return at(right.text, key!, draw.pick(['my-step', '2nd', 'first step', 'a.b', 'schritt-zwölf']));
      },
    },
  ],
};
