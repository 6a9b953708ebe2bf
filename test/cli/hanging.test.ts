import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hanging } from '../../cli/frame/hanging.ts';

test('what is too long for a line goes on below its own column', () => {
  const row = '  rows      Add the rows of a table to a dataset, a thousand at a time.';
  expect(hanging(row, 40).split('\n')).toEqual([
    '  rows      Add the rows of a table to a',
    '            dataset, a thousand at a',
    '            time.',
  ]);
  expect(hanging('A sentence that has no columns at all.', 24).split('\n')).toEqual(['A sentence that has no', 'columns at all.']);
});

test('commands are left whole, and a painted mark keeps its colour', () => {
  const command = '  portolan run pipelines/ingest.yaml --connection local --param source=data.csv';
  expect(hanging(command, 40)).toBe(command);
  expect(hanging('\x1b[32m✓\x1b[39m node  a version that is new enough for all of it', 34)).toBe(
    '\x1b[32m✓\x1b[39m node  a version that is new\n        enough for all of it',
  );
});

test('no word is lost, and no line is wider than the terminal', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  const row = fc
    .tuple(word, fc.array(word, { minLength: 1, maxLength: 30 }))
    .map(([name, words]) => `  ${name.padEnd(14)}${words.join(' ')}`);
  fc.assert(
    fc.property(row, fc.integer({ min: 40, max: 120 }), (line, columns) => {
      const shown = hanging(line, columns);
      expect(shown.split(/\s+/)).toEqual(line.split(/\s+/));
      for (const each of shown.split('\n')) expect(each.length).toBeLessThanOrEqual(columns);
    }),
  );
});
