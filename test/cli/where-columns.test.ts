import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portolan } from './support.ts';

/** A column of each type that a dataset has. */
const row = { whole: 1, share: 0.5, day: '2024-01-31', label: 'a', _embeddings: [0.1, 0.2] };

/** A condition, and what is said of it: the message, and the remedy; nothing where it is right. */
const conditions: [condition: string, message?: string, remedy?: string][] = [
  ['{ range: whole, from: 1, to: 2.5 }'],
  ['{ range: whole, from: 3000000000 }'],
  ["{ range: whole, from: '2024-01-31' }", "'whole' holds whole numbers, and '2024-01-31' is none of them", 'write a whole number'],
  ['{ range: share, to: 1 }'],
  ["{ range: share, from: 1, to: '2024-01-31' }", "'share' holds numbers, and '2024-01-31' is none of them", 'write a number'],
  ["{ range: day, from: '2024-01-31', to: '2024-02-01T00:00:00Z' }"],
  ['{ range: day, from: 0 }'],
  ['{ range: label, from: 1 }', "'label' holds text", 'take category or search'],
  ['{ range: id, from: 1 }', "'id' holds text", 'take category or search'],
  ['{ range: _embeddings, from: 1 }', "'_embeddings' holds vectors", 'name another column'],
  ["{ category: whole, in: [1, '2'] }"],
  ['{ category: whole, in: [1, 1.5] }', "'whole' holds whole numbers, and 1.5 is none of them", 'write a whole number'],
  ['{ category: whole, in: [3000000000] }', "'whole' holds whole numbers, and 3000000000 is none of them", 'to 2147483647'],
  ['{ category: whole, in: [true] }', "'whole' holds whole numbers, and true is none of them", 'write a whole number'],
  ["{ category: share, in: [''] }", "'share' holds numbers, and '' is none of them", 'write a number'],
  ['{ category: share, in: [0.5, none] }', "'share' holds numbers, and 'none' is none of them", 'write a number'],
  ["{ category: day, in: ['2024-01-31', 0] }"],
  ['{ category: day, in: [January] }', "'day' holds dates, and 'January' is none of them", 'write a date'],
  ['{ category: label, in: [a, 7, true] }'],
  ['{ category: _embeddings, in: [1] }', "'_embeddings' holds vectors", 'name another column'],
  ['{ search: whole, for: a }', "'whole' holds no text", 'take range or category'],
  ['{ search: share, for: a }', "'share' holds no text", 'take range or category'],
  ['{ search: day, for: a }', "'day' holds no text", 'take range or category'],
  ['{ search: label, for: a }'],
  ['{ search: _embeddings, for: a }', "'_embeddings' holds vectors", 'name another column'],
  ['{ not: { any: [{ category: label, in: [a] }, { search: day, for: a }] } }', "'day' holds no text", 'take range or category'],
  ["{ range: whole, from: '${{ params.from }}' }"],
];

const head = `name: conditions
params:
  from: { type: number, default: 1 }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: a }
  rows:
    use: dataset.append
    with: { dataset: '\${{ steps.dataset.id }}', source: rows.json, id: { row: true } }
  map:
    use: index.build
    with: { dataset: '\${{ steps.rows.dataset }}', embed: _embeddings }
`;

test('what a condition cannot ask of a column of a type is found with its line, whatever it asks and whatever the type is', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-where-'));
  try {
    await writeFile(join(cwd, 'rows.json'), JSON.stringify([row, { ...row, day: '2024-02-01' }]));
    const steps = conditions.map(
      ([condition], at) => `  s${at}:\n    use: points.select\n    with:\n      map: \${{ steps.map.id }}\n      where: ${condition}\n`,
    );
    await writeFile(join(cwd, 'p.yaml'), `${head}${steps.join('')}`);
    const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
    const findings = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const lines = head.split('\n').length - 1;
    const expected = conditions.flatMap(([, message, remedy], at) =>
      message === undefined
        ? []
        : [
            {
              code: 'wrong-column',
              line: lines + at * 5 + 5,
              message: `the column ${message}`,
              remedy: expect.stringContaining(remedy!),
            },
          ],
    );
    expect(findings).toMatchObject(expected);
    expect(findings).toHaveLength(expected.length);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
