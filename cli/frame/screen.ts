import type { Terminal } from './terminal.ts';

/** A block of lines at the end of the terminal that is drawn over itself. */
export type Screen = {
  draw(lines: readonly string[]): void;
  /** Leaves the block as it stands; the cursor is below it. */
  end(): void;
};

/** Only for a terminal: elsewhere nothing may be redrawn. Each line must fit the width. */
export const createScreen = (terminal: Terminal): Screen => {
  let drawn = 0;
  let last = '';
  return {
    draw(lines) {
      const text = lines.map((line) => `${line}\x1b[K\n`).join('');
      if (text === last) return;
      // One write, or a slow terminal shows the erased state in between.
      terminal.out(`${drawn > 0 ? `\x1b[${drawn}A` : ''}${text}${lines.length < drawn ? '\x1b[J' : ''}`);
      drawn = lines.length;
      last = text;
    },
    end() {
      drawn = 0;
      last = '';
    },
  };
};
