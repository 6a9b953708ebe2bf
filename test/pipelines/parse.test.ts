import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { renderFindings } from '../../cli/render/findings.ts';
import { fromModule } from '../../pipelines/file/from-module.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { limits } from '../../pipelines/file/yaml/yaml-limits.ts';
import { quoteExpressions } from '../../pipelines/file/yaml/quote.ts';
import { hostile } from './hostile-yaml.ts';

describe('reading', () => {
  test('YAML gives the same value as JSON', () => {
    const plain = fc
      .jsonValue({ maxDepth: 4 })
      .filter(
        (value) =>
          !/__proto__|"constructor"|"prototype"|\$\{\{/.test(JSON.stringify(value)) && !/\d{16}|e\+?\d\d/.test(JSON.stringify(value)),
      );
    fc.assert(
      fc.property(plain, (value) => {
        const expected: unknown = JSON.parse(JSON.stringify(value));
        for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) expect(parse(text, 'json').value).toEqual(expected);
        expect(parse(stringify({ value }), 'yaml').value).toEqual({ value: expected });
      }),
      { numRuns: 500 },
    );
  });

  test('any text is read without an exception, and places are inside of it', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '${{',
      '}}',
      '"',
      "'",
      '|',
      '>',
      '#',
      ' #',
      '&a',
      '*a',
      '!',
      '?',
      '\t',
      '---',
      '%',
      '@',
      '\r\n',
      'é',
      '1',
      '\u0000',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
        (text) => {
          const lines = text.split('\n');
          for (const { line, column } of parse(text).findings) {
            expect(line).toBeGreaterThanOrEqual(1);
            expect(line).toBeLessThanOrEqual(lines.length);
            expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
          }
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test('JSON is read strictly, with its place', () => {
    expect(parse('{\n  "a": 1,\n}', 'json').findings).toMatchObject([{ code: 'syntax', line: 3, column: 1 }]);
    expect(parse('{"a": 1} // no', 'json').findings).toMatchObject([{ code: 'syntax' }]);
    expect(parse('{"a": {"a": 1}, "b": [], "a": 2}', 'json').findings).toMatchObject([{ code: 'duplicate-field', column: 26 }]);
  });

  test.each(['json', 'yaml'] as const)('the byte order mark of an editor is no part of a file: %s', (format) => {
    const text = '{"a": 1,\n"a": 2}';
    expect(parse(`\uFEFF${text}`, format)).toMatchObject({ findings: parse(text, format).findings });
    expect(parse('\uFEFF{"a": 1}', format)).toMatchObject({ value: { a: 1 }, findings: [] });
  });

  test('a module exports plain data', () => {
    expect(fromModule({ name: 'x', steps: undefined }).value).toEqual({ name: 'x' });
    for (const value of [
      () => 1,
      undefined,
      { a: () => 1 },
      { a: 1n },
      {
        get a() {
          throw new Error('no');
        },
      },
      Symbol('x'),
    ])
      expect(fromModule(value).findings).toMatchObject([{ code: 'not-plain' }]);
    const circle: Record<string, unknown> = {};
    circle['a'] = circle;
    expect(fromModule(circle).findings).toMatchObject([{ code: 'not-plain' }]);
  });
});

describe('limits', () => {
  const aliases = (count: number): string => `a: &a [x]\nb: [${'*a, '.repeat(count)}]`;
  const list = (count: number): string => `a:\n${'- x\n'.repeat(count)}`;
  const deep = (count: number): string => `${'['.repeat(count)}1${']'.repeat(count)}`;
  const long = (bytes: number): string => `a: ${'x'.repeat(bytes - 3)}`;

  test.each<[string, string, string]>([
    ['bytes', long(limits.bytes), long(limits.bytes + 1)],
    ['characters of more than one byte', `a: ${'é'.repeat(limits.bytes / 2 - 2)}`, `a: ${'é'.repeat(limits.bytes / 2 - 1)}`],
    ['aliases', aliases(limits.aliases), aliases(limits.aliases + 1)],
    ['values', list(20_000), list(limits.nodes)],
    ['depth', deep(limits.depth), deep(limits.depth + 1)],
  ])('%s: at the limit read, beyond it refused', (_, within, beyond) => {
    expect(parse(within).findings).toEqual([]);
    expect(parse(beyond).findings).toMatchObject([{ code: 'too-large' }]);
  });

  test.each(Object.entries(hostile(limits.bytes - 10)))('a mebibyte of %s is read to its end', (_, text) => {
    const { value, findings } = parse(text);
    expect(value !== undefined || findings.length > 0).toBe(true);
  });
});

describe('expressions that YAML misreads', () => {
  test('are quoted so that the rest can be read, and places stay those of the file', () => {
    const text = 'a: { b: ${{ x }}, c: [1, ${{ y ? 1 : 2 }}], d: ${{ "a #b" }} }\ne: 1\ne: 2\n';
    const parsed = parse(text);
    expect(parsed.value).toEqual({ a: { b: '${{ x }}', c: [1, '${{ y ? 1 : 2 }}'], d: '${{ "a #b" }}' }, e: 1 });
    expect(renderFindings('f.yaml', parsed.findings)).toMatchInlineSnapshot(`
      "f.yaml:1:9   unquoted-expression  inside { } or [ ] an expression needs quotes
          write  a: { b: "\${{ x }}", c: [1, "\${{ y ? 1 : 2 }}"], d: '\${{ "a #b" }}' }
      f.yaml:1:26  unquoted-expression  inside { } or [ ] an expression needs quotes
          write  a: { b: "\${{ x }}", c: [1, "\${{ y ? 1 : 2 }}"], d: '\${{ "a #b" }}' }
      f.yaml:1:48  unquoted-expression  YAML reads ' #' as the start of a comment; the expression needs quotes
          write  a: { b: "\${{ x }}", c: [1, "\${{ y ? 1 : 2 }}"], d: '\${{ "a #b" }}' }
      f.yaml:3:1   duplicate-field      'e' is here twice
          take one of the two out
      4 findings"
    `);
  });

  test('a comma that ends a value is left alone: in a list, before a field, and where the parentheses never end', () => {
    for (const text of [
      'a: { b: [f(x, y)], c: 1 }',
      'a: { b: f(x, c: y) }',
      'a: { b: f(x, c }',
      "a: { b: 'f(x, y)', c: (d) }",
      'a: { b: f(x), c: (d) }',
      'a: f(x, y)',
    ])
      expect(quoteExpressions(text)).toMatchObject({ text, misread: [] });
  });

  test('what is quoted, a comment or a block of text is left alone', () => {
    for (const text of [
      'a: "${{ x ? 1 : 2 }}"',
      "a: { b: '${{ x }}' }",
      'a: 1 # { b: ${{ x }} }',
      'a: |\n  { b: ${{ x ? 1 : 2 }} } # c\nb: 1',
      'a: >-\n  [${{ x }}]',
      '# a: [${{ x }}]\na: 1',
      'a: ${{ x }}\nb: text ${{ y }} text',
      'a: ${{ x\n  + y }}',
    ]) {
      expect(quoteExpressions(text)).toMatchObject({ text, misread: [] });
    }
  });

  test('a corrected file has nothing left to correct', () => {
    const code = fc.constantFrom('params.a', 'a ? "b" : \'c\'', '"x #y"', '{"k": [1]}', 'a[0]', '"\\\\"');
    const around = fc.constantFrom(
      'a: $',
      'a: { b: $ }',
      'a: [$, $]',
      '- $',
      'a: { b: [$], c: x$y }',
      'a: pre $ post # comment',
      'a:\n  b: $\n  c: { d: $ }',
      'a: { b: $, # comment\n  c: $ }',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(around, fc.array(code, { minLength: 2, maxLength: 2 })), { maxLength: 4 }), (parts) => {
        const text = parts
          .map(([line, [first, second]]) =>
            [first!, second!].reduce<string>((result, each) => result.replace('$', () => `\u0001${each}\u0002`), line).replaceAll('$', 'z'),
          )
          .join('\n')
          .replaceAll('\u0001', '${{ ')
          .replaceAll('\u0002', ' }}');
        const once = quoteExpressions(text);
        expect(quoteExpressions(once.text).misread).toEqual([]);
        for (const { offset } of once.misread) expect(text.slice(offset, offset + 3)).toBe('${{');
        expect(once.before(once.text.length)).toBe(text.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
