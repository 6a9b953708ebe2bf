import { expect, test } from 'vitest';
import { createPaint } from '../../cli/render/paint.ts';
import { sampleLines } from '../../cli/render/sample.ts';
import type { Preview } from '../../child/preview.ts';

const lines = (columns: [name: string, type: string][], sample: (string | null)[][], width: number, rows = 100): string[] =>
  sampleLines({ columns: columns.map(([name, type]) => ({ name, type })), rows, sample } as unknown as Preview, {
    columns: width,
    paint: createPaint(false),
  });

test('of a sample too wide for the terminal the widest texts are cut, and no number', () => {
  const text = 'a text that goes on and on and on';
  expect(
    lines(
      [
        ['id', 'BIGINT'],
        ['text', 'VARCHAR'],
        ['size', 'DECIMAL(12,2)'],
      ],
      [['12345678901', text, '1234567.89']],
      40,
    ),
  ).toEqual([
    '',
    'first 1 row',
    expect.stringMatching(/^ +id {2}text +size$/u),
    expect.stringMatching(/^ {2}12345678901 {2}a text \S.*… {2}1234567\.89$/u),
  ]);
  // Two numbers for which there is no room stay whole: one of them is not shown.
  const numbers = [
    ['one', 'BIGINT'],
    ['two', 'BIGINT'],
  ] satisfies [string, string][];
  expect(lines(numbers, [['123456789012345', '123456789012345']], 30).at(-1)).toBe('  123456789012345');
});

test('a sample says which of its columns there is room for, and what stands for null where one is seen', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const headOf = (nullAt: number): string[] => {
    const row = names.map((name, at) => (at === nullAt ? null : name.repeat(20)));
    return lines(
      names.map((name) => [name, 'VARCHAR']),
      [row],
      60,
    )
      .slice(1, 3)
      .map((line) => line.replaceAll(/ +/gu, ' '));
  };
  expect(headOf(0)).toEqual(['first 1 row, 5 of 6 columns (--json has all); ∅ is null', ' a b c d e']);
  expect(headOf(5)).toEqual(['first 1 row, 5 of 6 columns (--json has all)', ' a b c d e']);
});
