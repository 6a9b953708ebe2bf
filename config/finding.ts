import type { z } from 'zod';
import { didYouMean } from '../text/nearest.ts';
import { configSchema } from './schema.ts';

/** One finding of the schema as a line: field, rule, and for a misspelt field the right one; never a value. */
export const findingText = (issue: z.core.$ZodIssue): string => {
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(issue.path);
    return issue.keys
      .map((key) => `${[at, key].filter(Boolean).join('.')}: no such field${didYouMean(key, known) || `; here are: ${known.join(', ')}`}`)
      .join('\n');
  }
  const detail = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
  return `${at || 'the default export'}: ${detail ?? issue.message}`;
};

// The objects of the schema, walked by a finding's path, so that a misspelt field can be answered with the right one.
const knownFields = (path: readonly PropertyKey[]): string[] => {
  let node: unknown = configSchema;
  const unwrap = (schema: unknown): unknown => {
    const { def } = schema as { def: { type: string; innerType?: unknown; in?: unknown } };
    return def.innerType === undefined ? schema : unwrap(def.innerType);
  };
  for (const key of path) {
    const { def } = unwrap(node) as { def: { shape?: Record<string, unknown>; valueType?: unknown } };
    node = def.shape?.[String(key)] ?? def.valueType;
    if (node === undefined) return [];
  }
  const { def } = unwrap(node) as { def: { shape?: Record<string, unknown>; keyType?: { def: { entries?: Record<string, unknown> } } } };
  return Object.keys(def.shape ?? def.keyType?.def.entries ?? {});
};
