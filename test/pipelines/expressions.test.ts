import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateTree, ExpressionError, type Scope } from '../../pipelines/expressions/evaluate.ts';
import { checkExpression, references } from '../../pipelines/expressions/references.ts';
import { isExact, split } from '../../pipelines/expressions/scan.ts';
import type { Json } from '../../text/json.ts';

const scope: Scope = {
  params: { n: 3, half: 1.5, big: Number.MAX_SAFE_INTEGER, name: 'Ada', none: null, list: [1, 2, 3], huge: 1e300, nested: { 'a b': 1 } },
  steps: {
    find: {
      count: 7,
      ids: ['a', 'b'],
      rows: [
        { id: 'x', score: 2 },
        { id: 'y', score: 0.5 },
      ],
      empty: [],
    },
    other: {},
  },
  run: { id: 'ingest-1', pipeline: 'ingest' },
};
const value = (code: string): Json => evaluateTree(`\${{ ${code} }}`, scope);
const failure = (text: string): ExpressionError => {
  try {
    evaluateTree(text, scope);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('it did not fail');
};

describe('values', () => {
  test.each<[string, Json]>([
    ['params.n + 1', 4],
    ['params.n * 1.5', 4.5],
    ['params.half + 1', 2.5],
    ['7 / 2', 3],
    ['7 / 2.0', 3.5],
    ['params.n == 3.0', true],
    ['params.huge > 1', true],
    ['size(params.list)', 3],
    ['params.list.map(x, x * 2)', [2, 4, 6]],
    ['steps.find.rows.filter(r, r.score > 1).map(r, r.id)', ['x']],
    [
      'steps.find.rows.map(r, {"id": r.id, "double": r.score * 2})',
      [
        { id: 'x', double: 4 },
        { id: 'y', double: 1 },
      ],
    ],
    ['steps.find.ids.join(", ")', 'a, b'],
    ['int("12") + int(3.9)', 15],
    ['string(params.n)', '3'],
    ['steps.other.?missing.orValue("none")', 'none'],
    ['has(steps.other.missing)', false],
    ['params.nested["a b"]', 1],
    ['params.none', null],
    ['params.none == null', true],
    ['"Ada" in [params.name]', true],
    ['params.n in params.list', true],
    ['[1, "two", null, true]', [1, 'two', null, true]],
    ['steps.find', scope.steps['find']!],
    ['params.list.exists(x, x == 2) && params.list.all(x, x > 0)', true],
    ['"a,b".split(",").map(x, x.upperAscii())', ['A', 'B']],
    ['{"}}": "${{"}["}}"]', '${{'],
    ['run.pipeline + "/" + run.id', 'ingest/ingest-1'],
    ['size("héé🎉")', 4],
    ['0.0 * -1.0', 0],
    ['params.n > 2 ? "many" : "few"', 'many'],
  ])('%s', (code, expected) => expect(value(code)).toEqual(expected));

  test('a second dollar sign makes the characters themselves of it', () => {
    for (const [text, expected] of [
      ['$${{ x }}', '${{ x }}'],
      ['a $${{ b }} ${{ params.n }} $${{', 'a ${{ b }} 3 ${{'],
      ['${{ params.n }}$${{', '3${{'],
      ['US$ ${{ params.n }}', 'US$ 3'],
    ])
      expect(evaluateTree(text!, scope)).toBe(expected);
  });

  test('an expression alone gives its value, in other text its text', () => {
    const tree = {
      a: '${{ params.list }}',
      b: 'n=${{ params.n }}, l=${{ params.list }}, ${{ params.name }}',
      c: ['  ${{ params.n }}\n', 'plain', 5, null, true],
      d: 'no $ {{ expression }}',
    };
    expect(evaluateTree(tree, scope)).toEqual({
      a: [1, 2, 3],
      b: 'n=3, l=[1,2,3], Ada',
      c: [3, 'plain', 5, null, true],
      d: 'no $ {{ expression }}',
    });
  });

  test('the same text is evaluated anew on other data', () => {
    const on = (x: Json): Json => evaluateTree('${{ params.x + params.x }}', { ...scope, params: { x } });
    expect([on(2), on(2.5), on('a'), on([1])]).toEqual([4, 5, 'aa', [1, 1]]);
    expect(() => on(true)).toThrow(ExpressionError);
    expect(on(3)).toBe(6);
  });

  test('nothing of an object that is not its own can be reached', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf'])
      expect(failure(`\${{ params.${name} }}`).type).toBe('expression-evaluation');
    expect(failure('${{ params.__proto__ }}')).toBeInstanceOf(ExpressionError);
    expect(failure('${{ {"__proto__": 1} }}').type).toBe('expression-syntax');
  });
});

describe('what is no value fails with its type', () => {
  test.each<[string, ExpressionError['type'], string]>([
    ['params.missing', 'expression-evaluation', 'No such key: missing'],
    ['steps.nowhere.x', 'expression-evaluation', 'No such key: nowhere'],
    ['int("x")', 'expression-evaluation', 'cannot convert to int'],
    ['1 / 0', 'expression-evaluation', 'division by zero'],
    ['params.list[9]', 'expression-evaluation', 'index'],
    ['params.big + 1', 'expression-result', '±2^53'],
    ['9223372036854775807', 'expression-result', '±2^53'],
    ['9223372036854775807 + 1', 'expression-evaluation', 'overflow'],
    ['1.0 / 0.0', 'expression-result', 'infinite'],
    ['double("nan")', 'expression-result', 'NaN'],
    ['steps.other.?missing', 'expression-result', 'orValue'],
    ['type(1)', 'expression-result', 'a type'],
    ['params.name + 1', 'expression-evaluation', 'no such overload'],
    ['timestamp("2024-01-01T00:00:00Z")', 'expression-syntax', 'not available'],
    ['duration("1h")', 'expression-syntax', 'not available'],
    ['b"x"', 'expression-syntax', 'not JSON'],
    ['1u', 'expression-syntax', 'not JSON'],
    ['{1: 2}', 'expression-syntax', 'written-out texts'],
    ['params.name.matches("(a+)+$")', 'expression-syntax', 'not available'],
    ['cel.bind(a, 1, a + a)', 'expression-syntax', 'not available'],
    ['params.list.map(a, params.list.map(b, a * b))', 'expression-syntax', 'inside another'],
    ['params.list.map(params, 1)', 'expression-syntax', 'name of its own'],
    ['params.list.join(params.name)', 'expression-syntax', 'written-out separator'],
    ['google', 'expression-syntax', 'unknown name'],
    ['"a', 'expression-syntax', 'not closed'],
  ])('%s', (code, type, words) => {
    const error = failure(`\${{ ${code} }}`);
    expect([error.type, error.message]).toEqual([type, expect.stringContaining(words)]);
  });

  test('work that grows with the product of two lists is refused before it is begun', () => {
    // Begun, a million times a million comparisons would not end.
    const many = Array.from({ length: 1_000_000 }, (_, index) => index);
    const ids = Array.from({ length: 5_000 }, (_, index) => `id-${index}`);
    const large: Scope = { params: {}, steps: { a: { ids }, b: { ids }, many: { ids: many } }, run: {} };
    expect(() => evaluateTree('${{ steps.a.ids.filter(x, x in steps.b.ids) }}', large)).toThrow(
      expect.objectContaining({ type: 'expression-cost' }),
    );
    expect(() => evaluateTree('${{ steps.many.ids.filter(x, x in steps.many.ids) }}', large)).toThrow(
      expect.objectContaining({ type: 'expression-cost' }),
    );
    // What a filter leaves may be all of it.
    expect(() => evaluateTree('${{ steps.a.ids.filter(x, x != "").map(x, x in steps.b.ids) }}', large)).toThrow(
      expect.objectContaining({ type: 'expression-cost' }),
    );
    expect(evaluateTree('${{ size(steps.a.ids.filter(x, x.endsWith("0"))) }}', large)).toBe(500);
  });

  test('the item of a loop counts as the output of a step does, and an element as itself whatever item has its name', () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`);
    const doc = { words, text: 'x'.repeat(100_000) };
    const large: Scope = { params: {}, steps: { doc }, items: { doc }, run: {} };
    for (const of of ['steps.doc', 'doc'])
      expect(() => evaluateTree(`\${{ ${of}.words.filter(w, ${of}.text.contains(w)).size() }}`, large)).toThrow(
        expect.objectContaining({ type: 'expression-cost' }),
      );
    expect(evaluateTree('${{ doc.words.filter(doc, doc.endsWith("0")).size() }}', large)).toBe(300);
  });

  test('results beyond one payload are refused, together as well as alone', () => {
    const of = (length: number): Scope => ({
      params: {},
      steps: { a: { text: 'x'.repeat(length), list: Array.from({ length: 1_000 }, (_, index) => index) } },
      run: {},
    });
    expect(evaluateTree('${{ steps.a.text }}', of(65_000))).toHaveLength(65_000);
    for (const tree of [
      '${{ steps.a.text + "abc" }}',
      ['${{ steps.a.text }}', '${{ steps.a.text }}'],
      '${{ steps.a.list.map(x, steps.a.list) }}',
    ]) {
      expect(() => evaluateTree(tree, of(tree === '${{ steps.a.text + "abc" }}' ? 65_535 : 40_000))).toThrow(
        expect.objectContaining({ type: 'expression-result' }),
      );
    }
  });

  test('long and deep expressions are refused', () => {
    for (const code of [
      '1+'.repeat(3_000) + '1',
      '('.repeat(200) + '1' + ')'.repeat(200),
      `[${'1,'.repeat(300)}]`,
      '!'.repeat(4_000) + 'true',
    ])
      expect(checkExpression(`\${{ ${code} }}`)?.type).toBe('expression-syntax');
  });
});

describe('references', () => {
  test('steps, parameters and where they stand', () => {
    const text = '${{ steps.find.rows.map(r, r.id + params.name) }} and ${{ steps["other"].?x.orValue(run.id) }}';
    expect(references(text)).toEqual({
      steps: [
        { id: 'find', path: ['rows'], offset: 4 },
        { id: 'other', path: ['x'], offset: text.indexOf('steps["other"]') },
      ],
      params: [{ name: 'name', offset: text.indexOf('params.name') }],
      run: [{ path: ['id'], offset: text.indexOf('run.id') }],
      items: [],
    });
    expect(references('${{ [1].map(x, x + doc.pages[0].n) }}').items).toEqual([{ name: 'doc', path: ['pages'], offset: 19 }]);
    expect(checkExpression('${{ doc.name }}', new Set(['doc']))).toBeUndefined();
    expect(checkExpression('${{ dog.name }}', new Set(['doc']))).toMatchObject({
      message: "unknown name 'dog': an expression begins with params, steps, run, doc; text needs quotes",
      offset: 4,
    });
    expect(references('${{ steps.?a.b.orValue(steps[?"c"].d.orValue(1)) }}').steps).toEqual([
      { id: 'a', path: ['b'], offset: 4, optional: true },
      { id: 'c', path: ['d'], offset: 23, optional: true },
    ]);
    expect(references('no expression')).toEqual({ steps: [], params: [], run: [], items: [] });
  });

  test('segments of any text are the whole text', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('${{', '}}', '${{ a }}', '${{ "}}" }}', '{', '}', '"', "'", '\\'));
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (text) => {
          let segments;
          try {
            segments = split(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ExpressionError);
            return;
          }
          const written = (literal: string): string => literal.replaceAll('${{', () => '$${{');
          expect(segments.map((segment) => (segment.kind === 'text' ? written(segment.text) : `\${{${segment.code}}}`)).join('')).toBe(
            text,
          );
          if (isExact(text)) expect(split(text.trim())).toHaveLength(1);
        },
      ),
    );
  });
});

/** Expressions of every shape that is allowed, and some that are not. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  const leaf = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (Number.isInteger(x) ? `${x.toFixed(1)}` : String(x))),
    fc.constantFrom('true', 'null', '"a"', "'b,c'", '9223372036854775807', '[]', '{}', '1e308', 'int', 'x'),
    fc.constantFrom(
      'params.a',
      'params.b',
      'params.c',
      'params.?d',
      'steps.s.a',
      'steps.s.list',
      'steps.s.?zz',
      'steps.t',
      'run.id',
      'params',
      'params["a"]',
      'steps.s["list"][0]',
    ),
  );
  const operator = fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '&&', '||', 'in');
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'e' },
      leaf,
      fc.tuple(inner, operator, inner).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom('!', '-'), inner).map(([op, a]) => `${op}(${a})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(fc.constantFrom('size', 'int', 'double', 'string', 'bool', 'type', 'dyn', 'has'), inner).map(([name, a]) => `${name}(${a})`),
      fc
        .tuple(
          inner,
          fc.constantFrom(
            'size()',
            'trim()',
            'upperAscii()',
            'join(",")',
            'split(",")',
            'contains("a")',
            'substring(1)',
            'indexOf("a")',
            'orValue(1)',
            'hasValue()',
            'value()',
            'lastIndexOf("a", 1)',
          ),
        )
        .map(([a, method]) => `(${a}).${method}`),
      fc
        .tuple(inner, fc.constantFrom('map', 'filter', 'all', 'exists', 'exists_one'), inner)
        .map(([a, name, b]) => `(${a}).${name}(x, ${b})`),
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc.array(inner, { maxLength: 3 }).map((items) => `{${items.map((item, index) => `"k${index}": ${item}`).join(', ')}}`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a})[${b}]`),
    ),
  };
});
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const anyScope = fc
  .record({ a: json, b: json, c: json, list: fc.array(json) })
  .map(({ a, b, c, list }): Scope => ({ params: { a, b, c }, steps: { s: { a, list }, t: b }, run: { id: 'r' } }));

describe('any expression on any data', () => {
  const outcome = (text: string, data: Scope): { json: Json } | { failed: string } => {
    try {
      return { json: evaluateTree(text, data) };
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      expect((error as ExpressionError).message).not.toBe('');
      return { failed: `${(error as ExpressionError).type} ${(error as ExpressionError).message}` };
    }
  };

  test('gives plain JSON or an ExpressionError, twice the same, and leaves the data as it was', () => {
    let values = 0;
    fc.assert(
      fc.property(expression, anyScope, anyScope, (code, data, others) => {
        const before = JSON.stringify(data);
        const first = outcome(`\${{ ${code} }}`, data);
        outcome(`\${{ ${code} }}`, others);
        expect(outcome(`\${{ ${code} }}`, data)).toEqual(first);
        if ('json' in first) {
          values++;
          expect(JSON.parse(JSON.stringify(first.json))).toEqual(first.json);
        }
        expect(JSON.stringify(data)).toBe(before);
      }),
      { numRuns: 3_000 },
    );
    // The generator must reach values, or the property says nothing about them.
    expect(values).toBeGreaterThan(300);
  });

  test('even where it is no expression', () => {
    const piece = fc.constantFrom(
      'params',
      'steps',
      '.',
      '?',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      'x',
      '1',
      ' ',
      '+',
      'map',
      ',',
      ':',
      '//',
      '\n',
      '\\',
      'in',
      '0x',
      'u',
      'e9',
      '"""',
      'r"',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((parts) => parts.join('')),
        ),
        anyScope,
        (code, data) => void outcome(`\${{${code}}}`, data),
      ),
      { numRuns: 3_000 },
    );
  });
});
