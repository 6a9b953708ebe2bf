import type { Terminal } from '../frame/terminal.ts';
import { createPaint, type Paint } from './paint.ts';

/** How wide a terminal is, and what colours it takes. */
export type Look = { columns: number; paint: Paint };

export const lookOf = (terminal: Terminal): Look => ({ columns: terminal.size().columns, paint: createPaint(terminal.color) });
