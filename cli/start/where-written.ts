import { isExact } from '../../pipelines/expressions/scan.ts';
import type { Path } from '../../pipelines/file/findings.ts';
import type { Json } from '../../text/json.ts';

const reach = (value: Json | undefined, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key], value);

/** Where a value of the plan is written in the file: at its place, or as the default of the parameter that stands there. */
export function whereWritten(file: Json | undefined, path: Path): { path: Path; text: string | undefined } {
  const text = reach(file, path);
  if (typeof text !== 'string') return { path, text: undefined };
  const [, name] = (isExact(text) && /^\s*\$\{\{\s*params\.(\w+)\s*\}\}\s*$/.exec(text)) || [];
  if (name === undefined) return { path, text };
  const preset = ['params', name, 'default'];
  const written = reach(file, preset);
  return typeof written === 'string' ? { path: preset, text: written } : { path, text: undefined };
}
