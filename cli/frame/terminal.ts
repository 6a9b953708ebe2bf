import type { Writable } from 'node:stream';
import { printable } from './printable.ts';

/** Where a verb writes. Results go to `out`, what is said about the work to `err`; colour and redraw only on a terminal. */
export type Terminal = {
  out(text: string): void;
  err(text: string): void;
  /** Standard output is a terminal: redraw is allowed. */
  tty: boolean;
  color: boolean;
  /** Size now: a window can be resized while a run is shown. */
  size(): { columns: number; rows: number };
};

export type TerminalOptions = {
  stdout?: Pick<Writable, 'write'>;
  stderr?: Pick<Writable, 'write'>;
  tty?: boolean;
  columns?: number;
  rows?: number;
  /** Environment: NO_COLOR, FORCE_COLOR, TERM. */
  env?: Record<string, string | undefined>;
};

/** Terminal over two streams; both default to those of the process. */
export const createTerminal = ({
  stdout = process.stdout,
  stderr = process.stderr,
  tty,
  columns,
  rows,
  env = {},
}: TerminalOptions = {}): Terminal => {
  const isTty = tty ?? (stdout === process.stdout && process.stdout.isTTY && env.TERM !== 'dumb');
  return {
    out: (text) => void stdout.write(printable(text)),
    err: (text) => void stderr.write(printable(text)),
    tty: isTty,
    color: (isTty && !env.NO_COLOR) || (!!env.FORCE_COLOR && env.FORCE_COLOR !== '0'),
    size: () => ({ columns: columns ?? process.stdout.columns ?? 100, rows: rows ?? process.stdout.rows ?? 40 }),
  };
};
