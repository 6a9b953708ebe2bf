import { createRequire } from 'node:module';
import { notHere } from '../../../core/errors.ts';
import type { Review } from '../artifacts.ts';

const margin = 56;

const grey = '#555555';

const isInstalled = (): boolean => {
  try {
    createRequire(import.meta.url).resolve('pdfkit');
    return true;
  } catch {
    return false;
  }
};

/** The remarks of a file by their pages, in order. */
const byPage = (remarks: Review['files'][number]['remarks']): [page: number, texts: string[]][] =>
  [...Map.groupBy(remarks, ({ page }) => page)].toSorted(([a], [b]) => a - b).map(([page, of]) => [page, of.map(({ text }) => text)]);

/** Fails with 501 where the optional package that makes a PDF is missing. */
export const needPdf = (): void => {
  if (!isInstalled()) throw notHere('drawing_review_pdf needs the package pdfkit beside the service: npm install pdfkit');
};

/**
 * A DRAWING_REVIEW as a PDF: a page with the files and how many remarks each has, then a page for each page of a file that is remarked on,
 * with the remarks numbered.
 */
export async function toReviewPdf({ files }: Review, name: string): Promise<Uint8Array> {
  needPdf();
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({ size: 'A4', margin, info: { Title: name, CreationDate: new Date(0) } });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const written = new Promise<void>((resolve, reject) => pdf.once('end', resolve).once('error', reject));
  const heading = (text: string, size: number): void =>
    void pdf.font('Helvetica-Bold').fontSize(size).fillColor('black').text(text).moveDown(0.5);
  const body = (text: string): void => void pdf.font('Helvetica').fontSize(11).fillColor('black').text(text).moveDown(0.4);

  heading(name, 18);
  for (const { name: file, remarks } of files) body(`${file}: ${remarks.length === 1 ? '1 remark' : `${remarks.length} remarks`}`);
  let number = 0;
  for (const { name: file, remarks } of files)
    for (const [page, texts] of byPage(remarks)) {
      pdf.addPage();
      heading(`${file}, page ${page}`, 14);
      for (const text of texts) body(`${++number}. ${text}`);
      pdf.font('Helvetica').fontSize(9).fillColor(grey).text(name);
    }
  pdf.end();
  await written;
  return Buffer.concat(parts);
}
