import type { Piece } from '../layout/piece.ts';
import { pdfLibrary, type PdfPage } from './open.ts';
import { placed, times } from './page-text.ts';

export type Place = Omit<Piece, 'text' | 'size'>;

export const areaOf = ({ left, top, right, bottom }: Place): number => Math.max(0, right - left) * Math.max(0, bottom - top);

/** Where bitmaps stand on a page, in points from the upper left, as far as they are on it. */
export async function bitmapsOf(page: PdfPage): Promise<Place[]> {
  const { OPS } = await pdfLibrary();
  const { fnArray, argsArray } = await page.getOperatorList();
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const bitmaps = new Set([OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject]);
  const found: Place[] = [];
  const kept: number[][] = [];
  let matrix: number[] = transform;
  for (const [at, operator] of fnArray.entries()) {
    const given = argsArray[at] as unknown;
    if (operator === OPS.save) kept.push(matrix);
    else if (operator === OPS.restore) matrix = kept.pop() ?? matrix;
    else if (operator === OPS.transform) matrix = times(matrix, given as number[]);
    else if (operator === OPS.paintFormXObjectBegin) {
      kept.push(matrix);
      const own = Array.isArray(given) ? (given[0] as unknown) : undefined;
      if (own !== null && typeof own === 'object' && Array.from(own as ArrayLike<number>).length === 6)
        matrix = times(matrix, Array.from(own as ArrayLike<number>));
    } else if (operator === OPS.paintFormXObjectEnd) matrix = kept.pop() ?? matrix;
    else if (bitmaps.has(operator)) {
      const { left, top, right, bottom } = placed(matrix, 1, 1);
      found.push({ left: Math.max(0, left), top: Math.max(0, top), right: Math.min(width, right), bottom: Math.min(height, bottom) });
    }
  }
  return found.filter((place) => areaOf(place) > 0);
}
