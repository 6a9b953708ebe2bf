import type { Piece } from '../layout/piece.ts';
import type { PdfPage } from './open.ts';

type Matrix = readonly number[];

/** One matrix after another. */
export const times = (a: Matrix, b: Matrix): number[] => [
  a[0]! * b[0]! + a[2]! * b[1]!,
  a[1]! * b[0]! + a[3]! * b[1]!,
  a[0]! * b[2]! + a[2]! * b[3]!,
  a[1]! * b[2]! + a[3]! * b[3]!,
  a[0]! * b[4]! + a[2]! * b[5]! + a[4]!,
  a[1]! * b[4]! + a[3]! * b[5]! + a[5]!,
];

/** The box of a rectangle from 0, 0 under a matrix. */
export function placed(
  matrix: Matrix,
  width: number,
  height: number,
  from = 0,
): { left: number; top: number; right: number; bottom: number } {
  const at = (x: number, y: number): [number, number] => [
    matrix[0]! * x + matrix[2]! * y + matrix[4]!,
    matrix[1]! * x + matrix[3]! * y + matrix[5]!,
  ];
  const corners = [at(0, from), at(width, from), at(0, height), at(width, height)];
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/**
 * Digits and letters in another cut (old style figures, small capitals) have codes of their own in Adobe's list of glyphs, from U+F720 on,
 * which no other program reads: they are the ones that they look like.
 */
const plain = (text: string): string =>
  text.replaceAll(/[\uf720-\uf7ff]/g, (glyph) => String.fromCodePoint(glyph.codePointAt(0)! - 0xf700));

/** The text of the file itself on a page, piece by piece, in points from the upper left of the page as it is shown. */
export async function pageText(page: PdfPage): Promise<Piece[]> {
  const { transform } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent({ includeMarkedContent: false, disableNormalization: false });
  return items.flatMap((item) => {
    if (!('str' in item) || item.str === '') return [];
    const matrix = times(transform, item.transform as number[]);
    const size = Math.hypot(matrix[2]!, matrix[3]!) || item.height;
    if (!(size > 0)) return [];
    // A piece is as wide as the file says, along the line on which it is written.
    const across = Math.hypot(matrix[0]!, matrix[1]!) || size;
    const along = [matrix[0]! / across, matrix[1]! / across, matrix[2]! / size, matrix[3]! / size, matrix[4]!, matrix[5]!];
    return [{ text: plain(item.str), size, ...placed(along, item.width, 0.8 * size, -0.2 * size) }];
  });
}
