import type { Terminal } from './terminal.ts';

/** Matches a redraw: the cursor goes up over the block that was drawn before. */
// oxlint-disable-next-line eslint/no-control-regex -- the escape sequence is what is looked for
const redraw = /^\x1b\[\d+A/;

/**
 * A terminal that takes lines from elsewhere while a block is redrawn on it: a note is put above the block with its
 * next drawing, because between two drawings the cursor stands below the block and a line would be drawn over.
 */
export function withNotes(terminal: Terminal): { terminal: Terminal; note: (line: string) => void; flush: () => void } {
  let waiting: string[] = [];
  const flush = (): void => {
    for (const line of waiting) terminal.out(`${line}\n`);
    waiting = [];
  };
  return {
    flush,
    note(line) {
      waiting.push(line);
      if (!terminal.tty) flush();
    },
    terminal: {
      ...terminal,
      out(text) {
        const up = redraw.exec(text)?.[0];
        if (up === undefined || waiting.length === 0) return terminal.out(text);
        terminal.out(`${up}${waiting.map((line) => `${line}\x1b[K\n`).join('')}${text.slice(up.length)}`);
        waiting = [];
      },
    },
  };
}
