import type { Review } from '../artifacts.ts';
import { fonts, needPdf, shownIn, standIn } from './review-fonts.ts';

const margin = 56;

const grey = '#555555';

/** The remarks of a file by their pages, in order. */
const byPage = (remarks: Review['files'][number]['remarks']): [page: number, texts: string[]][] =>
  [...Map.groupBy(remarks, ({ page }) => page)].toSorted(([a], [b]) => a - b).map(([page, of]) => [page, of.map(({ text }) => text)]);

/**
 * A DRAWING_REVIEW as a PDF: a page with the files and how many remarks each has, then a page for each page of a file that is remarked on,
 * with the remarks numbered.
 */
export async function toReviewPdf(review: Review, title: string): Promise<Uint8Array> {
  needPdf();
  const { default: PDFDocument } = await import('pdfkit');
  const { regular, bold } = fonts();
  const pdf = new PDFDocument({ size: 'A4', margin, font: regular, info: { Title: title, CreationDate: new Date(0) } });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const written = new Promise<void>((resolve, reject) => pdf.once('end', resolve).once('error', reject));
  const heading = (text: string, size: number): void => void pdf.font(bold).fontSize(size).fillColor('black').text(text).moveDown(0.5);
  const body = (text: string): void => void pdf.font(regular).fontSize(11).fillColor('black').text(text).moveDown(0.4);
  const note = (text: string): void => void pdf.font(regular).fontSize(9).fillColor(grey).text(text);

  const shown = (text: string): string => shownIn(pdf, text);
  const name = shown(title);
  const files = review.files.map((file) => ({
    name: shown(file.name),
    remarks: file.remarks.map(({ page, text }) => ({ page, text: shown(text) })),
  }));

  heading(name, 18);
  for (const { name: file, remarks } of files) body(`${file}: ${remarks.length === 1 ? '1 remark' : `${remarks.length} remarks`}`);
  if (JSON.stringify([name, files]).includes(standIn))
    note(`${standIn} stands for a character that the font of this file does not have; the artifact itself has it.`);
  let number = 0;
  for (const { name: file, remarks } of files)
    for (const [page, texts] of byPage(remarks)) {
      pdf.addPage();
      heading(`${file}, page ${page}`, 14);
      for (const text of texts) body(`${++number}. ${text}`);
      note(name);
    }
  pdf.end();
  await written;
  return Buffer.concat(parts);
}
