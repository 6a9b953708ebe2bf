import { expect, test } from 'vitest';
import { withNotes } from '../../cli/frame/notes.ts';
import { createScreen } from '../../cli/frame/screen.ts';
import type { Terminal } from '../../cli/frame/terminal.ts';

const terminalOf = (tty: boolean): { terminal: Terminal; written: () => string } => {
  let text = '';
  return {
    written: () => text,
    terminal: {
      out: (more) => void (text += more),
      page: (more) => void (text += more),
      data: () => undefined,
      document: () => undefined,
      value: () => undefined,
      err: () => undefined,
      tty,
      color: false,
      error: { tty: false, color: false, columns: () => 80 },
      size: () => ({ columns: 80, rows: 24 }),
    },
  };
};

test('a note stands above the block with its next drawing, and the block moves down whole', () => {
  const { terminal, written } = terminalOf(true);
  const notes = withNotes(terminal);
  const screen = createScreen(notes.terminal);
  screen.draw(['a 1', 'b 1']);
  notes.note('! killed');
  expect(written()).not.toContain('killed');
  screen.draw(['a 2', 'b 2']);
  expect(written()).toBe('a 1\x1b[K\nb 1\x1b[K\n\x1b[2A! killed\x1b[K\na 2\x1b[K\nb 2\x1b[K\n');
  notes.note('! last');
  notes.flush();
  expect(written().endsWith('! last\n')).toBe(true);
});

test('without a terminal a note is a line at once', () => {
  const { terminal, written } = terminalOf(false);
  withNotes(terminal).note('! killed');
  expect(written()).toBe('! killed\n');
});
