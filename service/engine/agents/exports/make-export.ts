import type { ExportFormat } from '../../../../contracts/instance/agent-shapes.ts';
import type { Records } from '../../../core/records/database.ts';
import { ofFile, remarksIn, versionOf, type ArtifactRow, type Review, type Table } from '../artifacts.ts';
import { toCsv } from './cells.ts';
import { needPdf } from './review-fonts.ts';
import { toReviewPdf } from './review-pdf.ts';
import { toXlsx } from './xlsx.ts';

/**
 * A format of an export: how its bytes are made of the content of an artifact. `remarks`: how many a file of it holds; `about`:
 * the part of the content that is about one of the files that it cites, undefined where it cites none such; `needs` fails where it cannot
 * be made here.
 */
const formatFor = <Content>(format: {
  mimeType: string;
  ending: string;
  make(content: Content, name: string): Uint8Array | Promise<Uint8Array>;
  remarks?(content: Content): number;
  about?(content: Content, file: string): Content | undefined;
  needs?(): void;
}) => {
  const contentOf = (content: string, file: string | undefined): Content | undefined => {
    const whole = JSON.parse(content) as Content;
    return file === undefined ? whole : format.about?.(whole, file);
  };
  return {
    mimeType: format.mimeType,
    ending: format.ending,
    needs: (): void => format.needs?.(),
    /** Undefined where the content cites no such file. */
    make: async (content: string, name: string, file: string | undefined): Promise<Uint8Array | undefined> => {
      const part = contentOf(content, file);
      return part && format.make(part, name);
    },
    remarks: (content: string, file: string | undefined): number | null => {
      const part = contentOf(content, file);
      return (part && format.remarks?.(part)) ?? null;
    },
    cites: (content: string, file: string): boolean => contentOf(content, file) !== undefined,
  };
};

const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** How an export is made, by its format. */
const formats = {
  csv: formatFor<Table>({ mimeType: 'text/csv', ending: 'csv', make: toCsv }),
  xlsx: formatFor<Table>({ mimeType: sheet, ending: 'xlsx', make: toXlsx }),
  drawing_review_pdf: formatFor<Review>({
    mimeType: 'application/pdf',
    ending: 'pdf',
    make: toReviewPdf,
    remarks: remarksIn,
    about: ofFile,
    needs: needPdf,
  }),
} as const satisfies { [format in ExportFormat]: unknown };

export const isFormat = (name: string): name is ExportFormat => Object.hasOwn(formats, name);

export const formatOf = (name: ExportFormat): Pick<(typeof formats)[ExportFormat], 'mimeType' | 'remarks' | 'cites' | 'needs'> =>
  formats[name];

/** A name that every file system takes. */
export const filenameOf = ({ name, version }: Pick<ArtifactRow, 'name' | 'version'>, format: ExportFormat): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'artifact'}-v${version}.${formats[format].ending}`;

/** What is exported: a version of an artifact; `file`: only what is about one of the files that it cites. */
export type Exported = { artifactId: string; version: number; format: ExportFormat; file?: string | undefined };

/** The bytes of an export, also of an artifact whose agent was deleted; undefined where there is none such. */
export const makeExport = async (
  records: Records,
  { artifactId, version, format, file }: Exported,
): Promise<{ bytes: Uint8Array; mimeType: string; filename: string } | undefined> => {
  const row = versionOf(records, artifactId, version);
  if (!row) return undefined;
  const { make, mimeType } = formats[format];
  const bytes = await make(row.content, row.name, file);
  return bytes && { bytes, mimeType, filename: filenameOf(row, format) };
};
