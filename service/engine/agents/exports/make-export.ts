import type { Records } from '../../../core/records/database.ts';
import { artifactOf, type ArtifactRow, type Table } from '../artifacts.ts';
import { toCsv } from './cells.ts';
import { toXlsx } from './xlsx.ts';

/** What an artifact may be exported as, by its type. */
const formats = {
  csv: { of: 'TABLE', mimeType: 'text/csv', ending: 'csv', make: toCsv },
  xlsx: { of: 'TABLE', mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ending: 'xlsx', make: toXlsx },
} as const;

export type Format = keyof typeof formats;

export const isFormat = (name: string): name is Format => Object.hasOwn(formats, name);

export const formatOf = (name: Format): { of: string; mimeType: string } => formats[name];

/** A name that every file system takes. */
export const filenameOf = ({ name, version }: Pick<ArtifactRow, 'name' | 'version'>, format: Format): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'artifact'}-v${version}.${formats[format].ending}`;

/** The bytes of an export; undefined where the artifact is gone. */
export const makeExport = (
  records: Records,
  { artifactId, version, format }: { artifactId: string; version: number; format: Format },
): { bytes: Uint8Array; mimeType: string; filename: string } | undefined => {
  const { agent_id } = records.get<{ agent_id: string | null }>('SELECT agent_id FROM artifacts WHERE id = ?', artifactId) ?? {};
  const row = agent_id ? artifactOf(records, agent_id, artifactId, version) : undefined;
  if (!row) return undefined;
  const { make, mimeType } = formats[format];
  return { bytes: make(JSON.parse(row.content) as Table), mimeType, filename: filenameOf(row, format) };
};
