import { describe, expect, test } from 'vitest';
import { coveragePage } from '../../scripts/pages/coverage.ts';
import { isShownByRow } from '../../scripts/spec/known.ts';
import { problemsOf, readProofs } from '../../scripts/spec/proofs.ts';

const file = 'test/spec/x.test.ts';
const read = (...lines: string[]) => readProofs(file, lines.join('\n'));

describe('proofs are read from the source', () => {
  test('with file, line, title and ids, however the call is laid out', () => {
    const { proofs, problems } = read(
      "import { proves } from './proves.ts';",
      "proves(['x:a/1'], 'one', async () => {});",
      'proves(',
      "  ['x:GET /a/{b}#c', \"x:it's\",],",
      "  'a user\\'s key',",
      '  async () => {},',
      ');',
    );
    expect(problems).toEqual([]);
    expect(proofs).toEqual([
      { file, line: 2, title: 'one', ids: ['x:a/1'] },
      { file, line: 3, title: "a user's key", ids: ['x:GET /a/{b}#c', "x:it's"] },
    ]);
  });

  test('and what stands in a comment, a text or a template is none', () => {
    const sources = ["// proves(['x:a/1'], 'one', run)", "/* proves(['x:a/1'],\n 'one', run) */", "'proves(ids)'", '`proves(${ids})`'];
    expect(sources.map((source) => read(source))).toEqual(sources.map(() => ({ proofs: [], problems: [] })));
  });

  test.each([
    ['ids of a name', "proves(ids, 'one', run);"],
    ['an id of a name', "proves(['x:a/1', id], 'one', run);"],
    ['an id that is put together', "proves(['x:' + id], 'one', run);"],
    ['an id in a template', "proves([`x:a/${id}`], 'one', run);"],
    ['no id', "proves([], 'one', run);"],
    ['a title of a name', "proves(['x:a/1'], title, run);"],
    ['a title that is put together', "proves(['x:a/1'], 'one' + title, run);"],
    ['the function given away', 'const shows = proves;'],
    ['the function under another name', "import { proves as shows } from './proves.ts';"],
  ])('%s cannot be read', (_, source) => {
    expect(read('', source)).toEqual({ proofs: [], problems: [expect.stringMatching(/^test\/spec\/x\.test\.ts:2: .*written out/)] });
  });
});

describe('a proof is refused', () => {
  const statements = ['x:a/1', 'x:a/2', 'x:a/3', 'x:a/4'].map((id) => ({ id }));
  const proof = (ids: string[], title = 'one') => ({ file, line: 7, title, ids });
  test.each([
    ['that names what is no statement', [proof(['x:a/1', 'x:a/9'])], ['x:a/9 is no statement of docs/spec/statements.tsv']],
    ['that names four', [proof(['x:a/1', 'x:a/2', 'x:a/3', 'x:a/4'])], ['4 statements; a test names at most 3']],
    ['that names one twice', [proof(['x:a/1', 'x:a/1'])], ['x:a/1 is named twice']],
    ['whose title another of its file has', [proof(['x:a/1']), proof(['x:a/2'])], ["a second test is called 'one'"]],
  ])('%s', (_, proofs, problems) => {
    expect(problemsOf(proofs, statements)).toEqual(problems.map((problem) => `${file}:7: ${problem}`));
  });

  test('not where it names three, or shares its title with another file', () => {
    const proofs = [proof(['x:a/1', 'x:a/2', 'x:a/3']), proof(['x:a/1'], 'two'), { ...proof(['x:a/4']), file: 'test/spec/y.test.ts' }];
    expect(problemsOf(proofs, statements)).toEqual([]);
  });
});

describe('the page of what is shown', () => {
  const lineOf = (page: string, start: string): string => page.split('\n').find((line) => line.startsWith(start))!;
  const page = coveragePage([]);

  test('counts a statement that a proof names, and lists it no more', () => {
    const with1 = coveragePage([{ file, line: 1, title: 'one', ids: ['maps:query-request/1'] }]);
    const counts = (of: string) => [...lineOf(of, '| maps API').matchAll(/\d+/g)].map(Number);
    const [all, shown, open, left] = counts(page);
    expect(shown! + open! + left!).toBe(all);
    expect(counts(with1)).toEqual([all, shown! + 1, open, left! - 1]);
    expect([page, with1].map((each) => each.includes('- `query-request/1`:'))).toEqual([true, false]);
  });

  test('shows an operation by its row, also at another address, and is green where nothing of it is left', () => {
    expect(lineOf(page, '| `POST /v1/organization/members/modify`')).toMatch(
      / at another address \| 200 \| yes \| .* \| 2 of 2 \| green \|/,
    );
    expect(lineOf(page, '| `POST /v1/organization/create`')).toMatch(/`maps.organizations.create` \| 201 \| .* \| 2 of 3 \| not yet \|/);
    const proof = { file, line: 1, title: 'one', ids: ['maps:POST /v1/organization/create.1'] };
    expect(lineOf(coveragePage([proof]), '| `POST /v1/organization/create`')).toMatch(/ \| 3 of 3 \| green \|/);
  });

  test('shows no refusal, and no status but that of the success, by a row', () => {
    for (const left of ['POST /v1/parse#403', 'authentication/11#403', 'api-key-creation-request/1#200'])
      expect(page).toContain(`- \`${left}\`:`);
    expect(page).not.toContain('- `POST /v1/query#200`:');
  });
});

test.each([
  ['maps:POST /v1/query', 'operation', true],
  ['maps:POST /v1/query#200', 'status', true],
  ['maps:POST /v1/organization/members/remove', 'operation', true],
  ['maps:POST /v1/query#422', 'status', false],
  ['maps:POST /v1/query.1', 'sentence', false],
  ['maps:POST /v1/no-such', 'operation', false],
  ['instance:GET /no-such', 'operation', false],
] as const)('the row of an operation shows that it is there and how it succeeds, and nothing else: %s', (id, kind, shown) => {
  expect(isShownByRow({ id, kind })).toBe(shown);
});
