import type { FindingCode } from './finding-codes.ts';
import type { Json } from '../../text/json.ts';

/** A place in a text, both counted from 1. */
export type Position = { line: number; column: number };

/** Something wrong in a pipeline file. `path` is the place in the document: `steps.rows.with.dataset`. */
export type Finding = Position & {
  code: FindingCode;
  message: string;
  path: string;
  /** What to do, where the message does not say it. */
  remedy?: string;
  /** The whole line as it was most likely meant, to be put in the place of `line`. */
  corrected?: string;
};

/** Keys and indices from the root of the document. */
export type Path = readonly (string | number)[];

export const formatPath = (path: Path): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');

/** The path of the field that one stands in. */
export const ownerOf = (path: string): string => path.replace(/(\.[^.[\]]*|\[\d+\])$/, '');

/** Where the key, and where the value, of a path stands in the source. */
export type Locate = {
  key(path: Path): Position;
  /** `offset`: characters into the string at this path, where it is written without line breaks. */
  value(path: Path, offset?: number): Position;
  /** A line as it stands in the text that is checked, by its number; undefined where there is no text. */
  line(line: number): string | undefined;
  /** The line of a field or item with another name or value; undefined where the place takes several lines, or none, or has it already. */
  rewritten(path: Path, by: { key: string } | { value: Json }): string | undefined;
};

/**
 * What to do about a name or value that is wrong: its line with what was most likely meant, else the remedy in words. Nobody may
 * know what was meant, and a line cannot be written where the place takes several.
 */
export function help(
  locate: Locate,
  path: Path,
  by: { key: string | undefined } | { value: Json | undefined },
  remedy?: string,
): Pick<Finding, 'corrected' | 'remedy'> {
  const corrected = isKnown(by) ? locate.rewritten(path, by) : undefined;
  if (corrected !== undefined) return { corrected };
  return remedy === undefined ? {} : { remedy };
}

const isKnown = (by: { key: string | undefined } | { value: Json | undefined }): by is { key: string } | { value: Json } =>
  ('key' in by ? by.key : by.value) !== undefined;

export const byPosition = (a: Position, b: Position): number => a.line - b.line || a.column - b.column;
