import { isMap, parse, parseDocument, stringify, visit } from 'yaml';
import { rightFiles } from './right-files.ts';

/** The same pipeline, written in another way. */
const ways: Readonly<Record<string, (text: string) => string>> = {
  'Windows line ends': (text) => text.replaceAll('\n', '\r\n'),
  'one line of JSON': (text) => JSON.stringify(parse(text)),
  'brackets and quotes': (text) =>
    stringify(parse(text), { collectionStyle: 'flow', defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE', lineWidth: 0 }),
  'single quotes, four blanks': (text) =>
    stringify(parse(text), { indent: 4, singleQuote: true, defaultStringType: 'QUOTE_SINGLE', lineWidth: 0 }),
  'comments that look like mistakes': (text) => `---\n# {{ no }} \${no} <<: here\n${text}\n# the end: of it\n...\n`,
  'fields from the last to the first': (text) => {
    const document = parseDocument(text);
    visit(document, {
      Pair(_, pair) {
        if ((pair.key as { value?: unknown }).value !== 'with') return undefined;
        if (isMap(pair.value)) pair.value.items.reverse();
        return undefined;
      },
    });
    return text.includes('&') ? text : document.toString({ lineWidth: 0 });
  },
};

const dataset = (slug: string, more = ''): string => `  dataset:\n    use: dataset.ensure\n    with: { slug: ${slug}${more} }\n`;
const rows = (columns: string, source = '../data/words.json', id = '{ column: id }'): string =>
  `  rows:\n    use: dataset.append\n    with:\n      dataset: \${{ steps.dataset.id }}\n      source: ${source}\n      id: ${id}\n${columns}`;
const map = (more = ''): string => `  map:\n    use: index.build\n    with: { dataset: "\${{ steps.rows.dataset }}"${more} }\n`;
const id = '6f9619ff-8b86-d011-b42d-00c04fc964ff';
const greet = (body: string, more = ''): string =>
  `name: greet\n${more}steps:\n  hello:\n    use: own.greet\n    with:\n${body.replaceAll(/^/gm, '      ')}\n`;

/** Right in ways that a check might take for wrong. */
const odd: Readonly<Record<string, string>> = {
  'braces of another template': greet('names: ["{{ name }}", "Hello {{ user.name }}", "<%= name %>"]'),
  'dollars in texts': greet("names: ['$5', '${HOME}', '$(date)', 'US$', '$ {x}']"),
  'names of steps in sentences': greet('names: [params, steps, "see steps.hello for more", "params.first is not here"]'),
  'words that look like other types': greet('names: ["yes", "no", "null", "5", "2024-01-01", "1e3", "~"]'),
  'yes without quotes is a text': greet('names: [yes, no, on, off]'),
  'a colon and a hash in quotes': greet("names: [\"a: b\", \"c # d\", 'it is ''so''']"),
  unicode: greet('names: [Zoë, 日本, "🎉", Ærø]'),
  'a text of many lines': greet('names:\n  - |\n    first: line\n    - second\n  - >-\n    folded\n    text'),
  'a list without indentation': 'name: flat\nsteps:\n  hello:\n    use: own.greet\n    with:\n      names:\n      - Ada\n      - Grace\n',
  'expressions in quotes of both kinds': greet('names: ["${{ run.id }}", \'${{ run.pipeline }}\', "${{ \'a\' + \\"b\\" }}"]'),
  'an expression of many lines': greet('names:\n  - ${{ run.id\n    + "x" }}'),
  'a choice of two types': greet(
    'names: ["${{ params.n > 1 ? \'many\' : string(params.n) }}"]',
    'params: { n: { type: integer, default: 2 } }\n',
  ),
  'a parameter by its name in brackets': greet('names: [\'${{ params["first"] }}\']', 'params: { first: { type: string, default: x } }\n'),
  'a parameter that only the name of the run uses': greet(
    'names: [Ada]',
    'concurrency: greet-${{ params.who }}\nparams: { who: { type: slug, default: all } }\n',
  ),
  'a parameter that only an output uses': `${greet('names: [Ada]', 'params: { tag: { type: string, default: x } }\n')}outputs: { tag: "\${{ params.tag }}" }\n`,
  'a required parameter': greet('names: ["${{ params.who }}"]', 'params: { who: { type: string } }\n'),
  'a parameter called like a field': greet(
    'names: ["${{ params.steps }}", "${{ params.use }}"]',
    'params: { steps: { type: string, default: a }, use: { type: string, default: b } }\n',
  ),
  'numbers as other numbers':
    'name: score\nsteps:\n  s:\n    use: own.score\n    with: { mode: fast, threshold: 1, weights: { text: 0, date: -1.5e2 } }\n',
  'a number where a fraction may be':
    'name: score\nparams: { t: { type: number, default: 1 } }\nsteps:\n  s:\n    use: own.score\n    with: { mode: fast, threshold: "${{ params.t / 2 }}", weights: { text: "${{ params.t + 1 }}" } }\n',
  'a field that may be missing': `${greet('names: [Ada]')}outputs: { a: '\${{ steps.hello.?first.orValue("nobody") }}' }\n`,
  'a list in an expression': `${greet('names: ["${{ string([1, 2, 3].map(x, x * 2).size()) }}"]')}outputs: { all: '\${{ {"n": steps.hello.count, "list": steps.hello.greetings} }}' }\n`,
  'a comparison with a fraction': `${greet('names: [Ada]')}outputs: { a: "\${{ steps.hello.count > 1.5 && steps.hello.count in [1, 2] }}" }\n`,
  'labels of outputs': `${greet('names: [Ada]')}outputs:\n  How many were greeted?: \${{ steps.hello.count }}\n  "5": five\n  Ünï: [1, { a: null }]\n`,
  'a step that nothing refers to': `${greet('names: [Ada]')}  alone:\n    use: own.greet\n    with: { names: [Grace], loud: false, times: 9 }\n`,
  'needs that are references too': `${greet('names: [Ada]')}  two:\n    use: own.greet\n    needs: [hello]\n    with: { names: "\${{ steps.hello.greetings }}" }\n`,
  'times and shares at their ends':
    'name: mail\nsteps:\n  m:\n    use: own.mail\n    timeout: 1s\n    window: 100\n    tolerate: { failed: 100%, unknown: 0, skipped: 0.5%, bounced: 7 }\n    with: { to: [a], subject: "" }\n',
  'a condition that holds for all': `name: all\nsteps:\n  s:\n    use: points.select\n    with: { map: ${id}, where: { all: [] } }\n`,
  'conditions in conditions': `name: deep\nsteps:\n  s:\n    use: points.select\n    with:\n      map: ${id}\n      where: { not: { any: [{ all: [{ range: a, from: 1, to: 1 }, { not: { category: b, in: [1, true, x] } }] }, { search: c, for: "x: y" }] } }\n`,
  'bounds of every kind': `name: bounds\nsteps:\n  s:\n    use: points.select\n    with:\n      map: ${id}\n      where:\n        all:\n          - { range: a, from: -5, to: -1.5 }\n          - { range: b, from: 2024-02-29 }\n          - { range: c, to: 2024-01-01T10:00:00Z }\n          - { range: d, from: 2023-12-31T23:00:00+01:00, to: 2024-01-01 }\n`,
  'bounds of parameters': `name: bounds\nparams: { low: { type: integer, default: 1 }, high: { type: integer, default: 5 } }\nsteps:\n  s:\n    use: points.select\n    with: { map: ${id}, where: { range: a, from: "\${{ params.low }}", to: "\${{ params.high }}" } }\n`,
  'any column of a dataset that is not loaded here': `name: old\nsteps:\n${dataset('old')}  map:\n    use: index.build\n    with: { dataset: "\${{ steps.dataset.id }}", embed: whatever }\n  s:\n    use: points.search\n    with: { map: "\${{ steps.map.id }}", query: x, fields: [title, anything], where: { range: year, from: 1 } }\n`,
  'columns as they are': `name: asis\nsteps:\n${dataset('asis')}${rows('')}${map(', embed: gloss')}  s:\n    use: points.search\n    with: { map: "\${{ steps.map.id }}", query: x, fields: [word, uses], where: { range: uses, from: 1 } }\n`,
  'the id as a column': `name: ids\nsteps:\n${dataset('ids', ', idField: key')}${rows('      columns: { word: word }\n')}${map(', embed: word')}  s:\n    use: points.search\n    with: { map: "\${{ steps.map.id }}", query: x, fields: [key, word, _similarity] }\n`,
  'columns of two sources': `name: both\nsteps:\n${dataset('both')}${rows('      columns: { word: word }\n')}  more:\n    use: dataset.append\n    with:\n      dataset: \${{ steps.dataset.id }}\n      source: ../data/2024/jan.csv\n      id: { column: key }\n      columns: { word: city, amount: amount }\n  map:\n    use: index.build\n    needs: [more]\n    with: { dataset: "\${{ steps.rows.dataset }}", embed: word }\n  s:\n    use: points.select\n    with: { map: "\${{ steps.map.id }}", where: { range: amount, from: 1 } }\n`,
  'columns with odd names': `name: names\nsteps:\n${dataset('names')}${rows('      columns:\n        "How often?": uses\n        Größe: length(word)\n        a b: word\n')}${map(', embed: a b')}  s:\n    use: points.select\n    with: { map: "\${{ steps.map.id }}", where: { range: "How often?", from: 1 } }\n`,
  'a column that is an expression': `name: sql\nsteps:\n${dataset('sql')}${rows("      columns:\n        a: \"uses::varchar || ': ' || word\"\n        b: case when uses > 3 then 'much' else 'little' end\n        c: date_part('year', day::date)\n        d: |\n          -- a comment\n          concat_ws(', ', word, kind)\n")}${map(', embed: a')}`,
  'a column by a parameter': `name: param\nparams: { column: { type: string, default: word } }\nsteps:\n${dataset('param')}${rows('      columns: { text: "${{ params.column }}" }\n')}${map(', embed: text')}`,
  'a category of numbers': `name: cat\nsteps:\n${dataset('cat')}${rows('      columns: { uses: uses, word: word }\n')}${map()}  s:\n    use: points.select\n    with: { map: "\${{ steps.map.id }}", where: { category: uses, in: [0, 3, "6"] } }\n`,
  'an id by the row': `name: row\nsteps:\n${dataset('row')}${rows('      columns: { word: word }\n', '../data/words.json', '{ row: true }')}${map()}`,
  'an upload, and its map': `name: up\nsteps:\n${dataset('up')}${rows('').replace('dataset.append', 'dataset.upload')}${map()}  tag:\n    use: points.tag\n    with: { map: "\${{ steps.map.id }}", points: { uri: "file:///x", count: 3 }, remove: old, again: true }\n`,
  'a glob of one file': `name: glob\nsteps:\n${dataset('glob')}${rows('', '../data/2024/j*.csv', '{ column: key }')}`,
  'a query without parameters': `name: query\nsteps:\n${dataset('query')}${rows('', '{ sql: "select id, count(*)::int as n from t group by id", tables: { t: ../data/words.json } }')}`,
  'a query over CSV with its own signs': `name: query\nsteps:\n${dataset('query')}${rows('', "{ sql: 'select sku as id, price from t', tables: { t: { path: ../data/prices.csv, csv: { delimiter: ';', quote: '', header: true } } } }")}`,
  'a source of another host': `name: far\nsteps:\n${dataset('far')}${rows('      columns: { a: nosuch }\n', '/srv/of/the/worker/rows.parquet')}`,
  'a source by a parameter': `name: far\nparams: { source: { type: path } }\nsteps:\n${dataset('far')}${rows('', '${{ params.source }}')}`,
  'results of another step': `name: mails\nsteps:\n  m:\n    use: own.mail\n    with: { to: [a], subject: b }\n${dataset('mails')}${rows('      columns: { text: message }\n', '${{ steps.m.results }}', '{ column: item }')}`,
  'an id that an operation gave': `name: ids\nsteps:\n  all:\n    use: api.call\n    with: { operation: maps.projects.get, input: { project_id: ${id} } }\n  map:\n    use: index.build\n    with: { dataset: "\${{ steps.all.result.id }}" }\n`,
  'an id of a text parameter':
    'name: ids\nparams: { map: { type: string } }\nsteps:\n  s:\n    use: points.select\n    with: { map: "${{ params.map }}" }\n',
  'a gate for a step above it': `name: gate\nsteps:\n  wipe:\n    use: own.wipe\n    with: { folder: a, reason: because }\n  ok:\n    use: gate.approve\n    with: { approves: [wipe], show: { any: [thing, "\${{ run.id }}"] } }\n`,
  'a gate that nothing names': `name: gate\nsteps:\n  ok: { use: gate.approve }\n  hello:\n    use: own.greet\n    needs: [ok]\n    with: { names: ["\${{ steps.ok.who }}"] }\n`,
  'no run holds it': greet('names: [Ada]', 'concurrency: null\nconnection: local\n'),
  'an anchor for a whole step': 'name: twice\nsteps:\n  one: &greet\n    use: own.greet\n    with: { names: [Ada] }\n  two: *greet\n',
  'an empty input': 'name: none\nsteps:\n  me:\n    use: api.call\n    with: { operation: maps.user.get, input: {} }\n    needs: []\n',
  'a step without input': 'name: gate\nsteps:\n  ok:\n    use: gate.approve\n',
};

export const unusualFiles = (): Record<string, string> => ({
  ...odd,
  ...Object.fromEntries(
    Object.entries(rightFiles).flatMap(([name, text]) => Object.entries(ways).map(([way, write]) => [`${name}, ${way}`, write(text)])),
  ),
});
