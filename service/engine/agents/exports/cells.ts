import { csvLine } from '../../../../text/csv.ts';
import type { Table } from '../artifacts.ts';

/** A TABLE as CSV with a header (RFC 4180), in UTF-8. */
export const toCsv = ({ schema, elements }: Table): Uint8Array => {
  const lines = [csvLine(schema.map(({ name }) => name)), ...elements.map((row) => csvLine(schema.map(({ name }) => row[name] ?? null)))];
  return new TextEncoder().encode(lines.join(''));
};
