import type { Terminal } from '../frame/terminal.ts';
import { createPaint, type Paint } from './paint.ts';

/** How wide a terminal is, and what colours it takes; a file or a pipe has no width, so that a search finds whole sentences. */
export type Look = { columns: number; paint: Paint };

export const lookOf = (terminal: Terminal): Look => ({
  columns: terminal.tty ? terminal.size().columns : Number.POSITIVE_INFINITY,
  paint: createPaint(terminal.color),
});
