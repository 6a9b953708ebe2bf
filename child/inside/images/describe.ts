import { VISUAL } from '../../images.ts';
import type { Methods } from '../../protocol.ts';
import { colourShares } from './basic-colours.ts';
import { colourGrid, colourHistogram } from './colour.ts';
import { decode, verdictOf } from './decode.ts';
import { edgeGrid, edgeStrengths } from './edges.ts';
import { halved, planesOf, SIDE } from './planes.ts';
import { patternGrid } from './texture.ts';

/**
 * The parts of a description and what each weighs. Everything is measured on the image stretched to a square, in cells that overlap, so
 * that another size, another encoding or a trimmed border moves no number far. Weights and sizes were chosen on the pictures of
 * `prove -- images`.
 */
const parts = [
  { weight: 1, measure: ({ full }: Scales) => colourGrid(full) },
  { weight: 0.8, measure: ({ full }: Scales) => colourHistogram(full) },
  { weight: 0.9, measure: ({ full }: Scales) => edgeGrid(full.l, SIDE) },
  { weight: 1, measure: ({ half }: Scales) => edgeGrid(half, SIDE / 2) },
  { weight: 0.4, measure: ({ full }: Scales) => edgeStrengths(full.l, SIDE) },
  { weight: 0.4, measure: ({ half }: Scales) => edgeStrengths(half, SIDE / 2) },
  { weight: 0.4, measure: ({ full }: Scales) => patternGrid(full.l, SIDE) },
  { weight: 0.5, measure: ({ half }: Scales) => patternGrid(half, SIDE / 2) },
] as const;

type Scales = { full: ReturnType<typeof planesOf>; half: Float32Array };

/** Colour, edges and texture of an image, from its decoded pixels. */
export async function describeImage({ name, image }: Methods['describeImage']['input']): Promise<Methods['describeImage']['output']> {
  const decoding = await decode(name, image);
  const square = decoding.open().resize(SIDE, SIDE, { fit: 'fill', kernel: 'cubic' }).removeAlpha().raw();
  const planes = planesOf(await verdictOf(name, square.toBuffer()));
  const scales: Scales = { full: planes, half: halved(planes.l) };
  const visual = new Float32Array(VISUAL);
  let at = 0;
  for (const { weight, measure } of parts) {
    const numbers = measure(scales);
    for (const value of numbers) visual[at++] = value * weight;
  }
  const length = Math.hypot(...visual);
  if (length > 0) for (let i = 0; i < VISUAL; i++) visual[i]! /= length;
  const { format, width, height } = decoding;
  return { format, width, height, visual, colours: colourShares(planes) };
}
