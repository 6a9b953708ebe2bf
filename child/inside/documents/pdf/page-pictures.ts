import { documentLimits } from '../../../document-limits.ts';
import type { ParseOptions } from '../../../documents.ts';
import type { ChildContext } from '../../../protocol.ts';
import type { Block } from '../block.ts';
import { boxOf, type PageSize, type Part } from '../layout/page-blocks.ts';
import type { Piece } from '../layout/piece.ts';
import { recognise } from '../ocr/recognise.ts';
import { textOfWords } from '../ocr/text.ts';
import type { PdfPage } from './open.ts';
import { areaOf, bitmapsOf, type Place } from './pictures.ts';
import { render } from './render.ts';

/** What the pictures of a page are: the text of a page that is one, or figures with the text in them. */
export type Pictured = { pieces: Piece[]; figures: Part[]; recognised: boolean };

/** A picture smaller than this, in points or of the page, has no line of text. */
const least = { width: 48, height: 12, share: 0.004 };

/** A page is a scan where bitmaps cover so much of it and it has no text of its own. */
const scanned = 0.2;

/** Letters for which a picture counts when gaps are judged, in points. */
const letters = 10;

const holds = (place: Place, piece: Piece): boolean => {
  const x = (piece.left + piece.right) / 2;
  const y = (piece.top + piece.bottom) / 2;
  return x > place.left && x < place.right && y > place.top && y < place.bottom;
};

const moved = ({ text, left, top, right, bottom, size }: Piece, { left: x, top: y }: Place, scale: number): Piece => ({
  text,
  left: x + left / scale,
  right: x + right / scale,
  top: y + top / scale,
  bottom: y + bottom / scale,
  size: size / scale,
});

const whole = ({ width, height }: PageSize): Place => ({ left: 0, top: 0, right: width, bottom: height });

/** Everything on a page by its picture (mode `ocr`), or what its bitmaps show that its own text does not (mode `hybrid`). */
export async function picturesOf(
  page: PdfPage,
  size: PageSize,
  pieces: readonly Piece[],
  { mode, language }: Pick<ParseOptions, 'mode' | 'language'>,
  context: ChildContext,
): Promise<Pictured> {
  const full = mode === 'ocr';
  const area = size.width * size.height;
  const bitmaps = full ? [] : await bitmapsOf(page);
  const hasText = pieces.some(({ text }) => text.trim() !== '');
  const covered = bitmaps.reduce((sum, place) => sum + areaOf(place), 0) / area;
  const read = async (place: Place, rendered: Awaited<ReturnType<typeof render>>): Promise<Piece[]> => {
    context.earned(documentLimits.secondsPerPicture * 1_000);
    return (await recognise(await rendered.part(place), language, context)).map((word) => moved(word, place, rendered.scale));
  };
  if (full || (!hasText && covered >= scanned))
    return { pieces: await read(whole(size), await render(page)), figures: [], recognised: true };
  const places = bitmaps.filter(
    (place) =>
      place.right - place.left >= least.width &&
      place.bottom - place.top >= least.height &&
      areaOf(place) >= least.share * area &&
      pieces.filter((piece) => holds(place, piece)).length < 3,
  );
  if (places.length === 0) return { pieces: [...pieces], figures: [], recognised: false };
  const rendered = await render(page);
  const figures: Pictured['figures'] = [];
  for (const place of places.slice(0, documentLimits.picturesPerPage)) {
    const words = await read(place, rendered);
    const content = textOfWords(words);
    const block: Block = { type: 'Figure', content, bbox: boxOf(place, size), ...(content === '' ? {} : { source: 'ocr' as const }) };
    figures.push({ ...place, size: letters, blocks: [block] });
  }
  return { pieces: [...pieces], figures, recognised: false };
}
