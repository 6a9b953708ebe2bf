import type { Maker, MistakeClass, Right } from './mistake.ts';
import { at } from './mistake.ts';
import { lineOf, linesOf, replaced, type Place } from './places.ts';

/** Fields of one line in block style, with their indentation; the first of a mapping left out where another must stand above it. */
const leaves = ({ places, text }: Right): Place[] =>
  places.filter(({ key, value, flow }) => key !== undefined && !flow && !text.slice(key.start, value.end).includes('\n'));

const isPlain = (right: Right, { value }: Place): boolean => /^[A-Za-z][\w. -]*$/.test(right.text.slice(value.start, value.end));

const hasAbove = (right: Right, place: Place): boolean => {
  const before = right.text.slice(0, linesOf(right.text, place.key!).start).split('\n').at(-2) ?? '';
  const own = /^ */.exec(right.text.slice(linesOf(right.text, place.key!).start))![0];
  return before.startsWith(`${own}`) && /^\S+: \S/.test(before.slice(own.length));
};

/** Changes one line in block style. */
const line = (
  what: string,
  fits: (place: Place, right: Right) => boolean,
  change: (text: string, place: Place, right: Right) => string,
): Maker => ({
  what,
  make(right, draw) {
    const fitting = leaves(right).filter((place) => fits(place, right));
    if (fitting.length === 0) return undefined;
    const place = draw.pick(fitting);
    const span = linesOf(right.text, { start: place.key!.start, end: place.value.end });
    return at(right.text, span, change(right.text.slice(span.start, span.end), place, right));
  },
});

const flows = ({ places, text }: Right): Place[] => places.filter(({ value }) => /^[[{]/.test(text.slice(value.start)) && value.start > 0);

export const syntax: MistakeClass = {
  name: 'YAML',
  makers: [
    line(
      'a tab for the indentation',
      (place) => place.path.length > 1,
      (text) => text.replace(/^ +/, '\t'),
    ),
    line(
      'one blank too many',
      (place, right) => place.path.length > 1 && hasAbove(right, place),
      (text) => ` ${text}`,
    ),
    line(
      'one blank too few',
      (place, right) => place.path.length > 1 && hasAbove(right, place),
      (text) => text.slice(1),
    ),
    line('a quote that is not closed', isText, (text, { value }, right) =>
      text.replace(right.text.slice(value.start, value.end), (word) => `"${word}`),
    ),
    {
      what: 'a bracket that is not closed',
      make(right, draw) {
        const fitting = flows(right).filter(({ flow, value }) => !flow && !right.text.slice(value.start, value.end).includes('\n'));
        if (fitting.length === 0) return undefined;
        const { value } = draw.pick(fitting);
        return { text: replaced(right.text, { start: value.end - 1, end: value.end }, ''), lines: [lineOf(right.text, value.start)] };
      },
    },
    {
      what: 'a comma forgotten in { }',
      make(right, draw) {
        const fitting = flows(right).filter(({ value }) => /^\{[^\n{}[\]"']*, /.test(right.text.slice(value.start, value.end)));
        if (fitting.length === 0) return undefined;
        const { value } = draw.pick(fitting);
        const comma = right.text.indexOf(', ', value.start);
        return at(right.text, { start: comma, end: comma + 2 }, ' ');
      },
    },
    line('no blank after the colon', isPlain_, (text) => text.replace(': ', ':')),
    line('no colon', isPlain_, (text) => text.replace(': ', ' ')),
    line('a colon of another script', isPlain_, (text) => text.replace(': ', '：')),
    line(
      'an end of the document in its middle',
      (place) => place.path.length === 1 && place.path[0] !== 'name',
      (text) => `...\n${text}`,
    ),
    line('= for a colon', isPlain_, (text) => text.replace(': ', ' = ')),
    {
      what: 'a field twice',
      make(right, draw) {
        const fitting = leaves(right).filter(({ path }) => path.length > 1);
        if (fitting.length === 0) return undefined;
        const { key, value } = draw.pick(fitting);
        const span = linesOf(right.text, { start: key!.start, end: value.end });
        const line = lineOf(right.text, span.start);
        const twice = right.text.slice(span.start, span.end);
        return { text: replaced(right.text, span, `${twice}${twice}`), lines: [line + 1, line] };
      },
    },
    line(
      'a merge key',
      (place, right) => place.path.length > 3 && hasAbove(right, place),
      (text) => text.replace(/^( *).*/, '$1<<: *base'),
    ),
    line(
      'a colon within a text',
      (place) => place.path.at(-1) === 'description',
      (text) => text.replace(/: (.*)$/m, ': Note: $1'),
    ),
    line('a value that begins with @', isPlain_, (text) => text.replace(': ', ': @')),
    line('a value that begins with a backtick', isPlain_, (text) => text.replace(/: (.*)$/m, ': `$1`')),
    line('a tag', isPlain_, (text) => text.replace(': ', ': !env ')),
    line('an alias to nothing', isPlain_, (text) => text.replace(/: .*$/m, ': *shared')),
    line(
      'a second document',
      (place) => place.path.length === 3,
      (text) => `---\n${text}`,
    ),
    {
      what: 'a list where names are due',
      make(right, draw) {
        const fitting = right.places.filter(({ path, flow, key }) => path.length === 2 && path[0] === 'steps' && !flow && key);
        if (fitting.length < 2) return undefined;
        const { key } = draw.pick(fitting);
        return at(right.text, { start: key!.start, end: key!.start }, '- ');
      },
    },
    {
      what: 'no blank after the dash',
      make(right, draw) {
        const fitting = right.places.filter(({ value }) => right.text.slice(value.start - 2, value.start) === '- ');
        if (fitting.length === 0) return undefined;
        const { value } = draw.pick(fitting);
        return at(right.text, { start: value.start - 1, end: value.start }, '');
      },
    },
  ],
};

function isText(place: Place, right: Right): boolean {
  return isPlain(right, place) && typeof place.data === 'string';
}

function isPlain_(place: Place, right: Right): boolean {
  return isText(place, right) && !right.text.slice(linesOf(right.text, place.key!).start, place.key!.start).includes('-');
}
