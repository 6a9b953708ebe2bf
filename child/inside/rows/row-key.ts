import type { SourceColumn } from '../source-column.ts';
import { stableText } from './column-types.ts';
import { identifier, literal } from '../../../text/sql.ts';

const byName = (a: SourceColumn, b: SourceColumn): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * SQL of the fingerprint of a source row: half of the sha256 over its columns in the order of their names,
 * each as `name=length:text`. Nulls are left out, so that a column which is new in the file changes no key
 * of a row without it; lengths keep neighbours apart.
 */
export function rowFingerprint(columns: SourceColumn[]): string {
  const parts = columns.toSorted(byName).map(({ name, type }) => {
    const text = stableText(identifier(name), type);
    return `coalesce(${literal(`${name.length}:${name}=`)} || length(${text}) || ':' || ${text}, '')`;
  });
  return `left(sha256(concat(${parts.join(', ')})), 32)`;
}

/** SQL of a row's key: 24 hex digits of a fingerprint and the number of the row among those that share it. */
export const rowKey = (fingerprint: string, occurrence: string): string => `left(sha256(${fingerprint} || ':' || ${occurrence}), 24)`;
