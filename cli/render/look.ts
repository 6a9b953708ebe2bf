import type { Terminal } from '../frame/terminal.ts';
import { createPaint, type Paint } from './paint.ts';

/** How wide a terminal is, and what colours it takes; a file or a pipe has no width, so that a search finds whole sentences. */
export type Look = { columns: number; paint: Paint };

/** `of`: one of the two streams of a terminal. */
const lookAt = (terminal: Terminal, of: Pick<Terminal, 'tty' | 'color'>): Look => ({
  columns: of.tty ? terminal.size().columns : Number.POSITIVE_INFINITY,
  paint: createPaint(of.color),
});

export const lookOf = (terminal: Terminal): Look => lookAt(terminal, terminal);

/** The same of what is written to standard error. */
export const errorLookOf = (terminal: Terminal): Look => lookAt(terminal, terminal.error);
