import type { Typed } from '../expressions/typed.ts';
import type { FindingCode } from '../file/finding-codes.ts';
import { formatPath, help, type Finding, type Locate, type Path } from '../file/findings.ts';
import type { Names } from './names.ts';

/** What expressions are checked against: names of the file, types of what they give, places of the text. */
export type Checks = { names: Names; typed: (code: string) => Typed; locate: Locate };

/** One text with expressions, and where it stands. */
export type Place = { text: string; path: Path };

/** A finding at a character of a text; `by` is the text as it was most likely meant. */
export function findingAt(
  { text, path }: Place,
  locate: Locate,
  {
    code,
    message,
    offset,
    remedy,
    by,
  }: { code: FindingCode; message: string; offset: number; remedy?: string | undefined; by?: string | undefined },
): Finding {
  return {
    code,
    message,
    path: formatPath(path),
    ...locate.value(path, offset),
    ...help(locate, path, { value: by === text ? undefined : by }, remedy),
  };
}
