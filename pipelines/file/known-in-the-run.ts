import type { z } from 'zod';
import { hasExpression, isExact, split, type Segment } from '../expressions/scan.ts';
import { reach } from './reach.ts';

type Issue = z.core.$ZodIssue;

/** True of a rule about which fields there are. */
export const isAboutFields = (issue: Issue): boolean => issue.code === 'custom' && issue.params?.['about'] === 'fields';

/** True where the issue is about a value that only the run will know. `literal`: the value is read before the run. */
export function mayBeRight(issue: Issue, path: readonly PropertyKey[], checked: { value: unknown; literal?: true }): boolean {
  const value = reach(checked.value, path);
  // Which fields there are does not depend on what they hold.
  if (checked.literal || isAboutFields(issue)) return false;
  if (typeof value === 'string' && hasExpression(value)) return isExact(value) || mayBecome(value, issue);
  // A rule over several fields cannot be judged while one of them is an expression.
  return issue.code === 'custom' && holdsExpression(value);
}

/** May a text with other text around its expressions be what an issue asks for? */
function mayBecome(text: string, issue: Issue): boolean {
  if (issue.code === 'invalid_type') return false;
  const parts = closed(text) ?? [];
  if (parts.every(({ kind }) => kind === 'text')) return parts.length === 0;
  const isId = issue.code === 'invalid_format' && ['guid', 'uuid'].includes(issue.format);
  return !isId || parts.every((part) => part.kind === 'expression' || /^[0-9a-f-]*$/i.test(part.text));
}

/** The parts of a text; undefined where an expression never ends, which has its finding. */
function closed(text: string): Segment[] | undefined {
  try {
    return split(text);
  } catch {
    return undefined;
  }
}

export const holdsExpression = (value: unknown): boolean =>
  typeof value === 'string'
    ? hasExpression(value)
    : value !== null && typeof value === 'object' && Object.values(value).some(holdsExpression);
