import { hasExpression, isExact } from '../expressions/scan.ts';
import type { Locate, Path } from '../file/findings.ts';
import { reach } from '../file/reach.ts';
import type { Json } from '../../text/json.ts';

/** A pipeline file as it stands, and the names of the parameters that were given from outside: what they hold is not in the file. */
export type Written = { value: Json | undefined; given: readonly string[] };

/** Where a value of the plan is written in the file: at its place, or as the default of the parameter that stands there. */
export function whereWritten({ value: file, given }: Written, path: Path): { path: Path; text: string | undefined } {
  const text = reach(file, path);
  if (typeof text !== 'string') return { path, text: undefined };
  const [, name] = (isExact(text) && /^\s*\$\{\{\s*params\.(\w+)\s*\}\}\s*$/.exec(text)) || [];
  if (name === undefined) return { path, text };
  const preset = ['params', name, 'default'];
  const written = given.includes(name) ? undefined : reach(file, preset);
  if (written === undefined) return { path, text: undefined };
  return { path: preset, text: typeof written === 'string' ? written : undefined };
}

/** Places of values that parameters were put into: what a default of the file is wrong by stands there, and an expression stays one. */
export const locateWritten = (locate: Locate, written: Written): Locate => ({
  ...locate,
  value: (path, offset) => locate.value(whereWritten(written, path).path, offset),
  rewritten(path, by) {
    if ('key' in by) return locate.rewritten(path, by);
    const place = whereWritten(written, path).path;
    const text = reach(written.value, place);
    const isExpression = typeof text === 'string' && hasExpression(text);
    // The default of a parameter is a plain value.
    const isDefault = place !== path && typeof by.value === 'string' && hasExpression(by.value);
    return isExpression || isDefault ? undefined : locate.rewritten(place, by);
  },
});
