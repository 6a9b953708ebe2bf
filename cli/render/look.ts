import type { Terminal } from '../frame/terminal.ts';
import { createPaint, type Paint } from './paint.ts';

/** How wide a terminal is, and what colours it takes; a file or a pipe has no width, so that a search finds whole sentences. */
export type Look = { columns: number; paint: Paint };

/** One of the two streams of a terminal. */
const lookAt = (of: Terminal['error']): Look => ({
  columns: of.tty ? of.columns() : Number.POSITIVE_INFINITY,
  paint: createPaint(of.color),
});

export const lookOf = (terminal: Terminal): Look =>
  lookAt({ tty: terminal.tty, color: terminal.color, columns: () => terminal.size().columns });

/** The same of what is written to standard error. */
export const errorLookOf = ({ error }: Terminal): Look => lookAt(error);
