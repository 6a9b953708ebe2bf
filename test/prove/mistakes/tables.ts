import { at, inInput, misspelt, otherValue, useOf, type Maker, type MistakeClass, type Right } from './mistake.ts';
import type { Place } from './places.ts';

const isField = (place: Place, ...names: string[]): boolean => place.key !== undefined && names.includes(String(place.path.at(-1)));
const loads = ['dataset.append', 'dataset.load', 'dataset.upload'];

/** Maps that are built in the file, of rows that are loaded in it with named columns. */
const isOwnMap = (right: Right, place: Place): boolean => {
  const map = right.places.find(({ path }) => path.length === 4 && path[1] === place.path[1] && path[3] === 'map')?.data;
  const step = /^\$\{\{ steps\.(\w+)\.id \}\}$/.exec(String(map))?.[1];
  return step !== undefined && useOf(right, step) === 'index.build' && right.places.some(({ path }) => path[3] === 'columns');
};

const misspeltValue = (what: string, fits: (place: Place, right: Right) => boolean): Maker => ({
  what,
  make(right, draw) {
    const fitting = right.places.filter((place) => typeof place.data === 'string' && /^\w{3,}$/.test(place.data) && fits(place, right));
    if (fitting.length === 0) return undefined;
    const { value, data } = draw.pick(fitting);
    const name = misspelt(String(data), draw);
    return at(right.text, value, right.text.startsWith('"', value.start) ? `"${name}"` : name);
  },
});

const isPath = (place: Place, right: Right): boolean =>
  typeof place.data === 'string' &&
  /\.(json|csv)$/.test(place.data) &&
  (inInput(right, place, 'source', ...loads) || (place.path[0] === 'params' && place.path.at(-1) === 'default'));

export const columns: MistakeClass = {
  name: 'columns and sources',
  makers: [
    misspeltValue(
      'a misspelt source column',
      (place, right) =>
        inInput(right, place, 'columns', ...loads) &&
        place.path.length === 5 &&
        /^\w+$/.test(String(place.data)) &&
        place.data !== '_embeddings',
    ),
    misspeltValue('a misspelt id column', (place, right) => inInput(right, place, 'id', ...loads) && isField(place, 'column')),
    misspeltValue('a misspelt column of a range', (place, right) => isField(place, 'range') && isOwnMap(right, place)),
    misspeltValue('a misspelt column of a category', (place, right) => isField(place, 'category') && isOwnMap(right, place)),
    misspeltValue(
      'a misspelt column to embed',
      (place, right) => isField(place, 'embed') && place.data !== '_embeddings' && right.places.some(({ path }) => path[3] === 'columns'),
    ),
    misspeltValue('a misspelt column of results', (place, right) => place.path.at(-2) === 'fields' && isOwnMap(right, place)),
    otherValue(
      'a column of the source that the dataset does not have',
      (place, right) =>
        isField(place, 'embed', 'range', 'category') && (isOwnMap(right, place) || isField(place, 'embed')) && place.data !== '_embeddings',
      (place, right) =>
        ({
          ingest: ['gloss', 'day'],
          films: ['Title', 'Genre', 'Released'],
          two: ['gloss', 'day'],
          query: ['gloss'],
          wide: ['key', 'amount'],
          vectors: ['uses'],
        })[right.name] ?? [],
    ),
    otherValue(
      'a column expression that is no SQL',
      (place, right) => inInput(right, place, 'columns', ...loads) && place.path.length === 5 && place.data !== '_embeddings',
      ['upper(', 'select 1', "lower('a", 'a b c', 'sum(1)', 'nosuch(1)', 'random()', '1 +'],
    ),
    otherValue(
      'a column of a type that no dataset has',
      (place, right) =>
        inInput(right, place, 'columns', ...loads) && place.path.length === 5 && place.data !== '_embeddings' && !place.flow,
      ['1 = 1', 'array[1, 2]', 'not (1 > 2)'],
    ),
    misspeltPath('a misspelt file', isPath, (path, draw) => path.replace(/[\w-]+(?=\.\w+$)/, (name) => misspelt(name, draw))),
    misspeltPath('a file of another type', isPath, (path) => path.replace(/\.\w+$/, '.parquet')),
    misspeltPath('a misspelt folder', isPath, (path) => path.replace('data/', 'dat/')),
    misspeltPath('a path from the wrong folder', isPath, (path) => path.replace('../', '')),
    misspeltPath('an address for a path', isPath, () => 'https://example.com/words.json'),
    misspeltPath('a bucket for a path', isPath, () => 's3://bucket/words.json'),
    misspeltPath('a folder for a file', isPath, () => '../data'),
    otherValue(
      'a glob that fits nothing',
      (place, right) => (isPath(place, right) || String(place.data).includes('*.csv')) && inInput(right, place),
      ['../data/2025/*.csv', '../data/2024/*.json', '../data/20*/x-*.csv'],
    ),
    otherValue(
      'an id of a row with another word',
      (place, right) => inInput(right, place, 'id', ...loads) && isField(place, 'column') && !place.flow,
      ['[id]', '5', 'id, word'],
    ),
    otherValue('an id that is both', (place, right) => inInput(right, place, 'id', ...loads) && place.path.length === 4, [
      '{ column: id, row: true }',
      '{ row: false }',
      '{ row: yes }',
      '{ hash: true }',
      'auto',
      'id',
      '{}',
    ]),
    {
      what: 'a table that the query does not name',
      make(right, draw) {
        const fitting = [...right.text.matchAll(/from (words|jan|feb)\b/g)];
        if (fitting.length === 0) return undefined;
        const match = draw.pick(fitting);
        return at(
          right.text,
          { start: match.index + 5, end: match.index + match[0].length },
          draw.pick(['word', 'tables', 'films', 'january']),
        );
      },
    },
    {
      what: 'a query that is none',
      make(right, draw) {
        const fitting = [...right.text.matchAll(/select (w\.id|key),/g)];
        if (fitting.length === 0) return undefined;
        const match = draw.pick(fitting);
        return at(
          right.text,
          { start: match.index, end: match.index + match[0].length },
          draw.pick(['selct a,', 'select from', 'update x,', 'select nosuch,']),
        );
      },
    },
  ],
};

function misspeltPath(
  what: string,
  fits: (place: Place, right: Right) => boolean,
  change: (path: string, draw: Parameters<Maker['make']>[1]) => string,
): Maker {
  return {
    what,
    make(right, draw) {
      const fitting = right.places.filter((place) => fits(place, right));
      if (fitting.length === 0) return undefined;
      const { value, data } = draw.pick(fitting);
      const by = change(String(data), draw);
      return by === data ? undefined : at(right.text, value, right.name === 'json' ? JSON.stringify(by) : by);
    },
  };
}
