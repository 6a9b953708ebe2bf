import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hanging } from '../../cli/frame/hanging.ts';
import { wrap } from '../../cli/frame/wrap.ts';
import { fit } from '../../cli/render/paint.ts';
import { table } from '../../cli/render/table.ts';
import { cells, lettersOf } from '../../text/cells.ts';

const texts = fc.array(
  fc.constantFrom('a', ' ', 'word', '名', '映画', '🎬', '☎\ufe0f', 'e\u0301', 'か\u3099', '한', '\u1112\u1161\u11ab'),
  {
    maxLength: 60,
  },
);

test('a wide character takes two cells, and what stands on another none', () => {
  const taken: readonly (readonly [string, number])[] = [
    ['name', 4],
    ['é…✓●', 4],
    ['名', 2],
    ['ｆ', 2],
    ['ｶ', 1],
    ['🎬', 2],
    ['e\u0301', 1],
    ['か\u3099', 2],
    ['한', 2],
    ['한'.normalize('NFD'), 2],
    ['☎\ufe0f', 2],
    ['☎', 1],
    ['🇩🇪', 2],
    ['a\u200db', 2],
    ['\x1b[31m名\x1b[39m', 2],
  ];
  expect(taken.map(([text]) => [text, cells(text)])).toEqual(taken);
});

test('columns of wide characters line up', () => {
  expect(
    table([
      ['名', 'a'],
      ['🎬🎬', 'b'],
      ['plain', 'c'],
    ]),
  ).toBe('名     a\n🎬🎬   b\nplain  c\n');
  expect(hanging('  映画名  to be read in columns of some width', 36)).toBe('  映画名  to be read in columns of\n          some width');
});

test('a line of wide characters is cut and broken by cells, between letters', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 40 }), (parts, width) => {
      const text = parts.join('');
      expect(cells(fit(text, width))).toBeLessThanOrEqual(width);
      const lines = wrap(text, width);
      for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      expect(lines.flatMap(lettersOf).filter((letter) => letter !== ' ')).toEqual(lettersOf(text).filter((letter) => letter !== ' '));
    }),
  );
});
