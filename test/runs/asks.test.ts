import { expect, test } from 'vitest';
import { asksLine } from '../../runs/asks.ts';

test('what a gate asks is one line, without control characters, and cut after 300 of what it shows', () => {
  const asks = { approves: [{ step: 'rows', use: 'dataset.append', acts: ['deletes 3 rows', 'adds 2'] }] };
  expect(asksLine({ approves: [] })).toBe('lets the run go on');
  expect(asksLine({ approves: [{ step: 'drop', use: 'data.delete', acts: ['deletes 3 rows'] }] })).toBe('lets drop: deletes 3 rows');
  expect(asksLine({ ...asks, show: { rows: 3 } })).toBe('lets rows: deletes 3 rows; adds 2 · shows {"rows":3}');
  expect(asksLine({ approves: [{ step: 'one', use: 'own.step', acts: [] }], show: 'a\u001B[31mb' })).not.toContain('\u001B');
  expect(asksLine({ approves: [], show: 'x'.repeat(300) })).toBe(`lets the run go on · shows ${'x'.repeat(300)}`);
  expect(asksLine({ approves: [], show: 'x'.repeat(301) })).toBe(`lets the run go on · shows ${'x'.repeat(300)}…`);
});
