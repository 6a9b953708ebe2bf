import type { FindingCode } from './finding-codes.ts';

/** A place in a text, both counted from 1. */
export type Position = { line: number; column: number };

/** Something wrong in a pipeline file. `path` is the place in the document: `steps.rows.with.dataset`. */
export type Finding = Position & {
  code: FindingCode;
  message: string;
  path: string;
  /** The corrected line, or what to do; printed below the finding. */
  remedy?: string;
};

/** Keys and indices from the root of the document. */
export type Path = readonly (string | number)[];

export const formatPath = (path: Path): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');

/** Where the key, and where the value, of a path stands in the source. */
export type Locate = {
  key(path: Path): Position;
  /** `offset`: characters into the string at this path, where it is written without line breaks. */
  value(path: Path, offset?: number): Position;
};

export const byPosition = (a: Position, b: Position): number => a.line - b.line || a.column - b.column;

/** One line each, `file:line:column  code  message`, columns aligned, and the number of findings. */
export function formatFindings(file: string, findings: readonly Finding[]): string {
  const places = findings.map(({ line, column }) => `${file}:${line}:${column}`);
  const width = Math.max(...places.map((place) => place.length), 0);
  const codes = Math.max(...findings.map(({ code }) => code.length), 0);
  const lines = findings.flatMap(({ code, message, remedy }, index) => {
    const first = `${places[index]!.padEnd(width)}  ${code.padEnd(codes)}  ${message}`;
    return remedy === undefined ? [first] : [first, ...remedy.split('\n').map((line) => `    ${line}`)];
  });
  return [...lines, `${findings.length} finding${findings.length === 1 ? '' : 's'}`].join('\n');
}
