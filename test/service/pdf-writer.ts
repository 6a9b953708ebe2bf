/** Text at a place in points from the lower left, in one of the fonts that every reader has; Helvetica by default. */
export type PdfText = { x: number; y: number; size?: number; font?: string; text: string };

const escaped = (text: string): string => text.replaceAll(/[\\()]/g, '\\$&');

/** A JPEG in gray, with its sides in pixels, over a part of the first page in points from the lower left. */
export type PdfPicture = { jpeg: Buffer; wide: number; high: number; x: number; y: number; width: number; height: number };

/** A PDF of pages of text, 612 by 792 points each, as small as one can be: objects, a table of where they stand, a trailer. */
export function pdfOf(pages: readonly (readonly PdfText[])[], { title, picture }: { title?: string; picture?: PdfPicture } = {}): Buffer {
  const usual = 'Helvetica';
  const further = [...new Set(pages.flat().map(({ font = usual }) => font))].filter((font) => font !== usual);
  const fontName = (font: string): string => `F${further.indexOf(font) + 2}`;
  const firstFont = 4 + 2 * pages.length + (picture ? 1 : 0);
  const fonts = ['/F1 3 0 R', ...further.map((font, at) => `/${fontName(font)} ${firstFont + at} 0 R`)].join(' ');
  const objects: string[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  for (const [at, texts] of pages.entries()) {
    const drawn = picture && at === 0 ? [`q ${picture.width} 0 0 ${picture.height} ${picture.x} ${picture.y} cm /Im Do Q`] : [];
    const shown = texts.map(
      ({ x, y, size = 12, font = usual, text }) => `BT /${fontName(font)} ${size} Tf ${x} ${y} Td (${escaped(text)}) Tj ET`,
    );
    const content = [...drawn, ...shown].join('\n');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * at} 0 R /Resources << /Font << ${fonts} >>${drawn.length > 0 ? ` /XObject << /Im ${4 + 2 * pages.length} 0 R >>` : ''} >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  if (picture)
    objects.push(
      `<< /Type /XObject /Subtype /Image /Width ${picture.wide} /Height ${picture.high} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length ${picture.jpeg.byteLength} >>\nstream\n${picture.jpeg.toString('latin1')}\nendstream`,
    );
  for (const font of further) objects.push(`<< /Type /Font /Subtype /Type1 /BaseFont /${font} /Encoding /WinAnsiEncoding >>`);
  if (title !== undefined) objects.push(`<< /Title (${escaped(title)}) >>`);
  let text = '%PDF-1.7\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const info = title === undefined ? '' : ` /Info ${objects.length} 0 R`;
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R${info} >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}
