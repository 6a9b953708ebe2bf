import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from '../../text/csv.ts';
import { csvRecords } from '../../text/csv-records.ts';

test('what is written as CSV is read as it was, each cell with the line that it begins in', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'é') });
  const filled = fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.some((each) => each !== ''));
  fc.assert(
    fc.property(fc.array(filled, { maxLength: 6 }), (records) => {
      const read = csvRecords(records.map(csvLine).join(''));
      expect(Array.isArray(read) && read.map((record) => record.map(({ text }) => text))).toEqual(records);
      let line = 1;
      for (const [at, cells] of records.entries()) {
        expect(Array.isArray(read) && read[at]![0]!.line).toBe(line);
        line += 1 + cells.join('').split('\n').length - 1;
      }
    }),
  );
});
