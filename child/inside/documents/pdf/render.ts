import { documentLimits } from '../../../document-limits.ts';
import { needPackages } from '../optional.ts';
import type { PdfPage } from './open.ts';
import type { Place } from './pictures.ts';

const dpi = 200;
const pointsPerInch = 72;

/** A page as pixels: parts of it as PNG, and how many pixels a point has. */
export type Rendered = { scale: number; part(place: Place): Promise<Buffer> };

/** Renders a page at 200 dpi, or less where it would be more pixels than a picture may have. */
export async function render(page: PdfPage): Promise<Rendered> {
  needPackages('ocr', 'recognising characters in the pages of a PDF');
  const { createCanvas } = await import('@napi-rs/canvas');
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(dpi / pointsPerInch, documentLimits.pictureSide / Math.max(width, height));
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.max(1, Math.ceil(viewport.width)), Math.max(1, Math.ceil(viewport.height)));
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  // The library draws on this canvas as on one of a browser, whose type has more that it does not use.
  await page.render({ canvas: null, canvasContext: context as never, viewport }).promise;
  return {
    scale,
    part({ left, top, right, bottom }) {
      const [x, y] = [Math.floor(left * scale), Math.floor(top * scale)];
      const [wide, high] = [Math.max(1, Math.ceil((right - left) * scale)), Math.max(1, Math.ceil((bottom - top) * scale))];
      const cut = createCanvas(wide, high);
      cut.getContext('2d').drawImage(canvas, x, y, wide, high, 0, 0, wide, high);
      return cut.encode('png');
    },
  };
}
