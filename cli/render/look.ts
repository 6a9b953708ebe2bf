import type { Terminal } from '../frame/terminal.ts';
import { createPaint, type Paint } from './paint.ts';

/** How wide a terminal is, and what colours it takes; a file or a pipe has no width, so that a search finds whole sentences. */
export type Look = { columns: number; paint: Paint };

/** One of the two streams of a terminal. */
const lookAt = ({ tty, color, columns }: Terminal['error']): Look => ({
  columns: tty ? columns() : Number.POSITIVE_INFINITY,
  paint: createPaint(color),
});

export const lookOf = ({ tty, color, size }: Terminal): Look => lookAt({ tty, color, columns: () => size().columns });

/** The same of what is written to standard error. */
export const errorLookOf = ({ error }: Terminal): Look => lookAt(error);
