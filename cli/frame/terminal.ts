import type { Writable } from 'node:stream';
import type { Document, DocumentName } from '../json/documents.ts';
import { controls } from '../../text/controls.ts';
import { hanging } from './hanging.ts';
import { printable } from './printable.ts';

/** Where a verb writes: results on standard output, what is said about the work to `err`; colour and redraw only on a terminal. */
export type Terminal = {
  /** Text for people: without control characters, wherever it goes. */
  out(text: string): void;
  /** The same for rows of columns: a terminal too narrow for a line gets it in several. */
  page(text: string): void;
  /** Text for machines, such as CSV: as it is in a file or a pipe, without control characters on a terminal. */
  data(text: string): void;
  /** A line of JSON, as the schema of its document says. Control characters are escaped, so that a terminal shows them and a reader has them back. */
  document<N extends DocumentName>(name: N, value: Document<N>): void;
  /** The same for values of a service or a user, whose shape is theirs. */
  value(value: unknown, options?: { indent: boolean }): void;
  err(text: string): void;
  /** Standard output is a terminal: redraw is allowed. */
  tty: boolean;
  color: boolean;
  /** The same of standard error, and how wide it is: either may be a file while the other is a terminal. */
  error: { tty: boolean; color: boolean; columns(): number };
  /** Size now: a window can be resized while a run is shown. */
  size(): { columns: number; rows: number };
};

export type TerminalOptions = {
  stdout?: Pick<Writable, 'write'>;
  stderr?: Pick<Writable, 'write'>;
  /** Of both streams; absent: what each is. */
  tty?: boolean;
  errorTty?: boolean;
  columns?: number;
  rows?: number;
  /** Environment: NO_COLOR, FORCE_COLOR, TERM. */
  env?: Record<string, string | undefined>;
  /** Called with every document, as it was written. */
  onDocument?: (name: DocumentName, line: string) => void;
};

/** Terminal over two streams; both default to those of the process. */
export const createTerminal = ({
  stdout = process.stdout,
  stderr = process.stderr,
  tty,
  errorTty = tty,
  columns,
  rows,
  env = {},
  onDocument = () => undefined,
}: TerminalOptions = {}): Terminal => {
  const isTerminal = (stream: unknown): boolean =>
    (stream === process.stdout || stream === process.stderr) && (stream as { isTTY?: boolean }).isTTY === true && env.TERM !== 'dumb';
  const isTty = tty ?? isTerminal(stdout);
  const isErrorTty = errorTty ?? isTerminal(stderr);
  const coloured = (on: boolean): boolean => (env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : on && !env.NO_COLOR);
  const size = (): { columns: number; rows: number } => ({
    // A terminal whose size nobody has set has 0 of both.
    columns: (columns ?? process.stdout.columns) || 100,
    rows: (rows ?? process.stdout.rows) || 40,
  });
  const json = (value: unknown, indent?: number): string => {
    const text = escaped(JSON.stringify(value, null, indent));
    stdout.write(`${text}\n`);
    return text;
  };
  return {
    out: (text) => void stdout.write(printable(text)),
    page: (text) => void stdout.write(printable(isTty ? hanging(text, size().columns) : text)),
    data: (text) => void stdout.write(isTty ? printable(text) : text),
    document: (name, value) => onDocument(name, json(value)),
    value: (value, { indent } = { indent: false }) => void json(value, indent ? 2 : undefined),
    err: (text) => void stderr.write(printable(text)),
    tty: isTty,
    color: coloured(isTty),
    error: { tty: isErrorTty, color: coloured(isErrorTty), columns: () => (columns ?? process.stderr.columns) || 100 },
    size,
  };
};

/** JSON escapes control characters below the blank by itself; the others mean something to a terminal too. */
const escaped = (json: string): string =>
  json.replace(beyondJson, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

const beyondJson = new RegExp(`(?![\\x00-\\x1f])[${controls}]`, 'g');
