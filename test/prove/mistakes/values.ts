import { hasExpression } from '../../../pipelines/expressions/scan.ts';
import { inInput, otherValue, useOf, type MistakeClass, type Right } from './mistake.ts';
import type { Place } from './places.ts';

const last = (place: Place): unknown => place.path.at(-1);
const isField = (place: Place, ...names: string[]): boolean => place.key !== undefined && names.includes(String(last(place)));
const literal = (place: Place): boolean => typeof place.data !== 'string' || !hasExpression(place.data);
const param = (place: Place, right: Right): unknown =>
  place.path[0] === 'params'
    ? right.places.find(({ path }) => path.length === 3 && path[1] === place.path[1] && path[2] === 'type')?.data
    : undefined;

export const types: MistakeClass = {
  name: 'types of values',
  makers: [
    otherValue(
      'a word for a number',
      (place, right) =>
        typeof place.data === 'number' &&
        inInput(right, place) &&
        !['in', 'tags'].includes(String(place.path.at(-2))) &&
        place.path[3] !== 'tags',
      ['ten', 'many', 'all', '"a few"', 'about 5'],
    ),
    otherValue(
      'a number in quotes',
      (place, right) =>
        typeof place.data === 'number' &&
        inInput(right, place) &&
        isField(place, 'k', 'times', 'threshold', 'text', 'date', 'perDay', 'from', 'to'),
      ({ data }) => [`"${String(data)}"`, `'${String(data)}'`],
    ),
    otherValue('yes and no', (place) => typeof place.data === 'boolean' && inStep(place), [
      'yes',
      'no',
      'on',
      'off',
      'y',
      '"true"',
      'True_',
      '1',
      '0',
    ]),
    otherValue(
      'one value for a list',
      (place) => Array.isArray(place.data) && place.key !== undefined && inStep(place) && last(place) !== 'query',
      (place) => [String((place.data as unknown[])[0]).replace(/.*[${}:].*/s, 'one'), '5', 'true'],
    ),
    otherValue(
      'a list for one value',
      (place) =>
        isField(place, 'slug', 'embed', 'map', 'model', 'operation', 'mode', 'subject', 'expires', 'idField') &&
        inStep(place) &&
        literal(place),
      ({ data }) => [`[${String(data)}]`, `[${String(data)}, other]`],
    ),
    otherValue(
      'a text for fields',
      (place) => isField(place, 'id', 'weights', 'tolerate', 'csv') && inStep(place) && typeof place.data === 'object',
      ['id', 'all', '1%', '"x: y"'],
    ),
    otherValue(
      'fields for a text',
      (place) => isField(place, 'slug', 'embed', 'subject', 'reason', 'who', 'name') && place.path.length > 3 && literal(place),
      ({ data }) => [`{ value: ${String(data)} }`, `{ name: ${String(data)} }`],
    ),
    otherValue(
      'nothing at all',
      (place) =>
        isField(place, 'slug', 'embed', 'source', 'dataset', 'map', 'query', 'names', 'mode', 'use', 'operation', 'reason', 'k') &&
        inStep(place),
      ['', 'null', '~'],
    ),
    otherValue(
      'a number for a text',
      (place) => isField(place, 'slug', 'embed', 'subject', 'reason', 'add', 'who') && inStep(place) && literal(place),
      ['7', '2024', '1.5', 'true'],
    ),
    otherValue(
      'a fraction for a whole number',
      (place) => isField(place, 'k', 'times', 'window', 'perDay') && typeof place.data === 'number' && inStep(place),
      ['2.5', '1.01', '0.5'],
    ),
    otherValue('a text for with', (place) => last(place) === 'with' && place.path.length === 3, ['all', '[]', '5']),
    otherValue(
      'a text for needs',
      (place) => last(place) === 'needs' && place.path.length === 3,
      (place) => [String((place.data as unknown[])[0]), '{ after: me }'],
    ),
    otherValue('steps that are none', (place) => place.path.length === 2 && place.path[0] === 'steps', [
      'dataset.ensure',
      '5',
      '[use, with]',
    ]),
    otherValue('a name that is no name', (place) => place.path.length === 1 && place.path[0] === 'name', [
      'Ingest Films',
      'films_2024',
      '-films',
      '2024.5',
      'films/main',
      'été',
    ]),
    otherValue('a number for a duration', (place) => isField(place, 'timeout', 'expires') && inStep(place), ['300', '2', '1.5', '60000']),
  ],
};

function inStep({ path }: Place): boolean {
  return path[0] === 'steps';
}

export const numbers: MistakeClass = {
  name: 'numbers, units, dates and ranges',
  makers: [
    otherValue('a duration in other words', (place) => isField(place, 'timeout', 'expires') && inStep(place), [
      '2 hours',
      '1 day',
      '90 s',
      '1h30m',
      '24hours',
      '10min',
      '1w',
      '0s',
      '-5m',
      'PT2H',
      '1.5h',
      'forever',
      '2H',
      '30 minutes',
    ]),
    otherValue('a share that is none', (place) => place.path.at(-2) === 'tolerate', [
      '1 %',
      '0.01',
      'one percent',
      '101%',
      '-1',
      '5 percent',
      '1,5%',
      '%',
      'half',
    ]),
    otherValue('a number with separators', (place) => ['from', 'to', 'k'].includes(String(last(place))) && typeof place.data === 'number', [
      '100,000',
      '1_000',
      '1 000',
      '10k',
      '5M',
      '1.000.000',
    ]),
    otherValue(
      'a number out of bounds',
      (place) => isField(place, 'k', 'window', 'times', 'threshold') && typeof place.data === 'number' && inStep(place),
      ['0.0001e9', '-1', '1000000', '999'],
    ),
    otherValue(
      'a date that is none',
      (place) => isField(place, 'from', 'to', 'since') && typeof place.data === 'string' && literal(place),
      [
        '2024-13-01',
        '2024-02-30',
        '01/02/2024',
        '2024-5-1',
        'yesterday',
        '2024/05/01',
        '1 May 2024',
        '2024-05-01 10:00',
        '20240501',
        '"2024-05"',
      ].filter((text) => text !== '20240501'),
    ),
    {
      what: 'from above to',
      make(right, draw) {
        const fitting = right.places.filter(
          ({ path, data }) =>
            last({ path } as Place) === 'from' &&
            (typeof data === 'number' || (typeof data === 'string' && !hasExpression(data))) &&
            right.places.some((other) => same(other.path, path, 'to') && !hasExpression(String(other.data))),
        );
        if (fitting.length === 0) return undefined;
        const place = draw.pick(fitting);
        const to = right.places.find((other) => same(other.path, place.path, 'to'))!;
        const by = typeof to.data === 'number' ? String(to.data + draw.pick([1, 10, 0.5])) : '2030-01-01';
        const line = (offset: number): number => right.text.slice(0, offset).split('\n').length;
        return {
          text: right.text.slice(0, place.value.start) + by + right.text.slice(place.value.end),
          lines: [line(place.value.start), line(to.value.start), line(place.value.start) - 1],
        };
      },
    },
    {
      what: 'a range without bounds',
      make(right, draw) {
        const fitting = right.places.filter(({ data, path }) => isRange(data) && path.length > 3);
        if (fitting.length === 0) return undefined;
        const { value, data, flow } = draw.pick(fitting);
        const column = (data as { range: string }).range;
        const by = flow || right.text.startsWith('{', value.start) ? `{ range: ${column} }` : `range: ${column}\n`;
        const span = by.endsWith('\n') ? { start: value.start, end: right.text.indexOf('\n', value.end - 1) + 1 } : value;
        const line = right.text.slice(0, value.start).split('\n').length;
        return { text: right.text.slice(0, span.start) + by + right.text.slice(span.end), lines: [line, line - 1] };
      },
    },
    otherValue('a value for a category without a list', (place) => isField(place, 'in'), ['Comedy', 'person', '5']),
    otherValue('a category of nothing', (place) => isField(place, 'in'), ['[]']),
    otherValue('a number beyond 2^53', (place) => typeof place.data === 'number' && isField(place, 'from', 'to', 'k', 'times'), [
      '9007199254740993',
      '12345678901234567890',
    ]),
    otherValue('infinity', (place) => typeof place.data === 'number' && isField(place, 'from', 'to', 'threshold'), ['.inf', '.nan']),
    otherValue('a format of dates that is none', (place) => isField(place, 'dateFormat'), ['dd/mm/yyyy', 'DD.MM.YYYY', 'iso']),
    otherValue('a delimiter of several characters', (place) => isField(place, 'delimiter'), ["';;'", "''", "'semicolon'", "'tab'"]),
  ],
};

const same = (path: Place['path'], other: Place['path'], field: string): boolean =>
  path.length === other.length && path.at(-1) === field && path.slice(0, -1).every((part, index) => part === other[index]);

const isRange = (data: unknown): boolean => typeof data === 'object' && data !== null && 'range' in data;

/** A word of a list that is close to one, or not at all. */
export const words: MistakeClass = {
  name: 'words of lists',
  makers: [
    otherValue(
      'an onChange that is none',
      (place, right) => isField(place, 'onChange') && String(useOf(right, place.path[1])).startsWith('dataset'),
      ['replce', 'update', 'Replace', 'overwrite', 'rebuild', 'ignore'],
    ),
    otherValue(
      'an onChange of maps that is none',
      (place, right) => isField(place, 'onChange') && useOf(right, place.path[1]) === 'index.build',
      ['rebuilt', 'replace', 'report', 'Update', 'always'],
    ),
    otherValue('a type of parameter that is none', (place) => place.path[0] === 'params' && last(place) === 'type', [
      'text',
      'int',
      'float',
      'bool',
      'str',
      'Path',
      'file',
      'date',
      'intger',
      'list',
      'url',
    ]),
    otherValue(
      'a step that is none',
      (place) => place.path[0] === 'steps' && place.path.length === 3 && last(place) === 'use',
      (place) => {
        const use = String(place.data);
        return [
          use.replace('.', '-'),
          use.replace('.', '_'),
          use.slice(0, -1),
          use.toUpperCase(),
          `${use}s`,
          use.split('.')[0]!,
          use.replace('dataset', 'datasets'),
          `${use.split('.')[0]}.create`,
        ].filter((word) => word !== use);
      },
    ),
    otherValue('an operation that is none', (place) => isField(place, 'operation'), [
      'maps.project.get',
      'projects.get',
      'maps.users.get',
      'maps.projects.delete',
      'GET /projects',
      'maps.projects',
    ]),
    otherValue('a mode of an own step that is none', (place) => isField(place, 'mode') && literal(place), [
      'quick',
      'slow',
      'Fast',
      'carefull',
      'fst',
    ]),
    {
      what: 'a status that tolerate does not know',
      make(right, draw) {
        const fitting = right.places.filter(({ path, key }) => path.at(-2) === 'tolerate' && key && path.at(-1) !== 'skipped');
        if (fitting.length === 0) return undefined;
        const place = draw.pick(fitting);
        const word = draw.pick(
          place.path.at(-1) === 'failed'
            ? ['faild', 'Failed', 'failled']
            : ['rejcted', 'rejections', 'failed', 'reject', 'errors', 'Rejected'],
        );
        const key = place.key!;
        return {
          text: right.text.slice(0, key.start) + word + right.text.slice(key.end),
          lines: [right.text.slice(0, key.start).split('\n').length],
        };
      },
    },
    {
      what: 'tolerate for a step that has no items',
      make(right, draw) {
        const fitting = right.places.filter(
          ({ path, flow, data }) =>
            path[0] === 'steps' &&
            path.length === 3 &&
            last({ path } as Place) === 'use' &&
            !flow &&
            ['dataset.ensure', 'index.build', 'points.select', 'points.search', 'own.greet', 'gate.approve'].includes(String(data)),
        );
        if (fitting.length === 0) return undefined;
        const { key, value } = draw.pick(fitting);
        const eol = right.text.indexOf('\n', value.end);
        const start = right.text.lastIndexOf('\n', key!.start) + 1;
        const line = draw.pick(['tolerate: { failed: 1% }', 'window: 4', 'tolerate: { rejected: 2 }']);
        return {
          text: `${right.text.slice(0, eol)}\n${' '.repeat(key!.start - start)}${line}${right.text.slice(eol)}`,
          lines: [right.text.slice(0, eol).split('\n').length + 1],
        };
      },
    },
    otherValue('an id that is none', (place) => isField(place, 'project_id', 'map') && literal(place), [
      'cars',
      '12345',
      '6f9619ff-8b86-d011-b42d',
      'my-dataset',
      'https://maps.example.com/data/abc',
    ]),
    otherValue('a dataset by its name', (place, right) => isField(place, 'dataset') && inInput(right, place), [
      'cars',
      'words',
      'my-dataset',
    ]),
    otherValue(
      'a parameter’s default of another type',
      (place, right) => last(place) === 'default' && param(place, right) !== undefined,
      (place, right) => {
        const values: Record<string, string[]> = {
          integer: ['ten', '2.5', 'true', '"3 rows"', '1e400'],
          number: ['much', 'true', '1,5', '"0,5"'],
          boolean: ['yes', 'no', '"on"', '1', 'maybe'],
          slug: ['My Data', 'films_2024', 'Films', '"films "', 'a--b'],
          path: ['5', 'true', '""'],
          string: ['5', 'true', '2.5'],
        };
        return values[String(param(place, right))] ?? [];
      },
    ),
  ],
};
