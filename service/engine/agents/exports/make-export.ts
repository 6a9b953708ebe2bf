import type { Records } from '../../../core/records/database.ts';
import { artifactOf, remarksIn, type ArtifactRow, type Review, type Table } from '../artifacts.ts';
import { toCsv } from './cells.ts';
import { toReviewPdf } from './review-pdf.ts';
import { toXlsx } from './xlsx.ts';

/** A format of an export: of which type of artifact, and how its bytes are made of the content. `remarks`: how many a file of it holds. */
const formatFor = <Content>(format: {
  of: string;
  mimeType: string;
  ending: string;
  make(content: Content, name: string): Uint8Array | Promise<Uint8Array>;
  remarks?(content: Content): number;
}) => ({
  ...format,
  make: async (content: string, name: string): Promise<Uint8Array> => format.make(JSON.parse(content) as Content, name),
  remarks: (content: string): number | null => format.remarks?.(JSON.parse(content) as Content) ?? null,
});

const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** What an artifact may be exported as, by its type. */
const formats = {
  csv: formatFor<Table>({ of: 'TABLE', mimeType: 'text/csv', ending: 'csv', make: toCsv }),
  xlsx: formatFor<Table>({ of: 'TABLE', mimeType: sheet, ending: 'xlsx', make: toXlsx }),
  drawing_review_pdf: formatFor<Review>({
    of: 'DRAWING_REVIEW',
    mimeType: 'application/pdf',
    ending: 'pdf',
    make: toReviewPdf,
    remarks: remarksIn,
  }),
} as const;

export type Format = keyof typeof formats;

export const isFormat = (name: string): name is Format => Object.hasOwn(formats, name);

export const formatOf = (name: Format): Pick<(typeof formats)[Format], 'of' | 'mimeType' | 'remarks'> => formats[name];

/** A name that every file system takes. */
export const filenameOf = ({ name, version }: Pick<ArtifactRow, 'name' | 'version'>, format: Format): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'artifact'}-v${version}.${formats[format].ending}`;

/** The bytes of an export; undefined where the artifact is gone. */
export const makeExport = async (
  records: Records,
  { artifactId, version, format }: { artifactId: string; version: number; format: Format },
): Promise<{ bytes: Uint8Array; mimeType: string; filename: string } | undefined> => {
  const { agent_id } = records.get<{ agent_id: string | null }>('SELECT agent_id FROM artifacts WHERE id = ?', artifactId) ?? {};
  const row = agent_id ? artifactOf(records, agent_id, artifactId, version) : undefined;
  if (!row) return undefined;
  const { make, mimeType } = formats[format];
  return { bytes: await make(row.content, row.name), mimeType, filename: filenameOf(row, format) };
};
