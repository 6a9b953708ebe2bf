import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portolan } from './support.ts';
import { rowsHead } from './support-rows.ts';

const rows = [
  { title: 'a', near: [0.1, 0.2, 0.3], written: '[1, 2, 3]', none: null },
  { title: 'b', near: [0.4, 0.5, 0.6], written: '[4, 5, 6]', none: null },
];

const file = (vectors: string, query: string, embed = '_embeddings'): string => `${rowsHead('vectors')}        title: title
        _embeddings: ${vectors}
  map:
    use: index.build
    with: { dataset: "\${{ steps.rows.dataset }}", embed: ${embed} }
  near:
    use: points.search
    with:
      map: \${{ steps.map.id }}
      query: ${query}
      fields: [title]
`;

test.each<[what: string, text: string, finding?: object]>([
  ['lists of numbers', file('near', '[1, 2, 3]')],
  ['texts of such lists', file('written', '[1, 2, 3]')],
  ['no vector yet', file('none', '[1, 2]')],
  ['a map of another column', file('near', '[1, 2]', 'title')],
  ['a text that is searched for', file('near', 'a heist')],
  [
    'texts that are no lists',
    file('title', 'a heist'),
    { code: 'bad-column', line: 14, message: expect.stringContaining('no row has a vector'), corrected: '        _embeddings: near' },
  ],
  [
    'a query of another length',
    file('near', '[1, 2]'),
    {
      code: 'wrong-column',
      line: 22,
      message: "'query' is a vector of 2 numbers; those in _embeddings have 3",
      remedy: 'write 3 numbers',
    },
  ],
])('own vectors and what is searched in them: %s', async (_what, text, finding) => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-vectors-'));
  try {
    await writeFile(join(cwd, 'rows.json'), JSON.stringify(rows));
    await writeFile(join(cwd, 'p.yaml'), text);
    const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
    const findings = out.split('\n').filter((line) => line.startsWith('{'));
    expect(findings.map((line) => JSON.parse(line) as unknown)).toEqual(finding === undefined ? [] : [expect.objectContaining(finding)]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
